package io.onceberg.it.platform;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class ComparisonTest {
  private final Comparison comparison = new Comparison();

  @Test
  void equalEventsCountAsOftenAsTheyOccur() {
    List.of("a", "a", "b").forEach(comparison::expect);
    List.of("a", "b", "a").forEach(comparison::find);
    assertThat(List.of(comparison.rows(), comparison.missing(), comparison.extra()))
        .containsExactly(3L, 0L, 0L);
  }

  @Test
  void aLostTwinIsMissingAndARepeatedRowIsExtra() {
    List.of("a", "a", "b").forEach(comparison::expect);
    List.of("a", "b", "b", "b").forEach(comparison::find);
    assertThat(comparison.missing()).isEqualTo(1);
    assertThat(comparison.extra()).isEqualTo(2);
    assertThat(comparison.examples()).containsExactly("missing: a", "extra:   b");
  }

  @Test
  void anotherValueIsBothMissingAndExtra() {
    comparison.expect("u in 7 [1] without [note]");
    comparison.find("u in 7 [1]");
    assertThat(comparison.missing()).isEqualTo(1);
    assertThat(comparison.extra()).isEqualTo(1);
  }
}
