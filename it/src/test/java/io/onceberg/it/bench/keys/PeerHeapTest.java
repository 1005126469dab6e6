package io.onceberg.it.bench.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PeerHeapTest {
  @Test
  void aSizeIsReadAsTheJvmReadsIt() {
    assertThat(PeerHeap.of("4g").megabytes()).isEqualTo(4096);
    assertThat(PeerHeap.of("800M").megabytes()).isEqualTo(800);
    assertThat(PeerHeap.ofMachine().megabytes()).isBetween(256L, 8192L);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "4", "0g", "-1g", "4gb", "1.5g", "99999999m"})
  void nothingElseIs(String size) {
    assertThatThrownBy(() -> PeerHeap.of(size))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("--peer-heap is a size such as 4g or 800m, not '" + size + "'");
  }
}
