package io.onceberg.keystore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.onceberg.keystore.PartitionTerm.Transform;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PartitionTermTest {
  @Test
  void readsEveryForm() {
    assertThat(PartitionTerm.parse(" region "))
        .isEqualTo(new PartitionTerm(Transform.IDENTITY, "region", 0));
    assertThat(PartitionTerm.parse("identity(region)"))
        .isEqualTo(new PartitionTerm(Transform.IDENTITY, "region", 0));
    assertThat(PartitionTerm.parse("Days( _cdc.ts )"))
        .isEqualTo(new PartitionTerm(Transform.DAY, "_cdc.ts", 0));
    assertThat(PartitionTerm.parse("bucket(16, order id)"))
        .isEqualTo(new PartitionTerm(Transform.BUCKET, "order id", 16));
    assertThat(PartitionTerm.parse("truncate(4,`a,b`)"))
        .isEqualTo(new PartitionTerm(Transform.TRUNCATE, "a,b", 4));
    assertThat(PartitionTerm.parse("`days(x)`"))
        .isEqualTo(new PartitionTerm(Transform.IDENTITY, "days(x)", 0));
    assertThat(PartitionTerm.parse("hours(`days(x)`)"))
        .isEqualTo(new PartitionTerm(Transform.HOUR, "days(x)", 0));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "days()",
        "weeks(a)",
        "bucket(a)",
        "bucket(0, a)",
        "bucket(a, 4)",
        "days(a",
        "a)"
      })
  void refusesWhatItCannotRead(String text) {
    assertThatThrownBy(() -> PartitionTerm.parse(text)).hasMessageContaining("OB-102");
  }
}
