package io.onceberg.keystore;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LookupProgressTest {
  private final AtomicLong clock = new AtomicLong(TimeUnit.DAYS.toNanos(-1));
  private final List<String> said = new ArrayList<>();
  private final LookupProgress progress =
      new LookupProgress(TargetName.parse("shop.orders"), 40, clock::get, said::add);

  @Test
  void aQuickLookupSaysNothing() {
    for (int file = 0; file < 40; file++) {
      after(70, file);
    }
    assertThat(said).isEmpty();
  }

  @Test
  void aSlowOneSaysEveryThreeSecondsWhereItIs() {
    for (int file = 0; file < 40; file++) {
      after(200, file);
    }
    assertThat(said).hasSize(2);
    assertThat(said.get(0)).startsWith("lookup target=shop.orders key_files=14 of=40 ");
    assertThat(said.get(1)).startsWith("lookup target=shop.orders key_files=29 of=40 ");
  }

  private void after(long millis, int file) {
    clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(millis));
    progress.at(file);
  }
}
