package io.onceberg.ingest.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import io.onceberg.ingest.config.DedupPolicy;
import io.onceberg.ingest.decode.Decoded;
import io.onceberg.ingest.decode.Op;
import org.junit.jupiter.api.Test;

class EqualRanksTest {
  private final IdentityRule rule = new IdentityRule(StubTarget.changelog(), DedupPolicy.DEFAULT);
  private final EqualRanks ranks = new EqualRanks();

  private int next(long lsn, String name, long ordinal) {
    return next(Op.CREATE, lsn, name, ordinal);
  }

  private int next(Op op, long lsn, String name, long ordinal) {
    Decoded.Change change = new Changes().op(op).keyless().lsn(lsn).ordinal(ordinal).row(1L, name);
    return ranks.next(change.origin(), (Identity) rule.identify(change, 0, 0));
  }

  @Test
  void equalRowsOfOnePositionAreCounted() {
    ranks.begin(true);
    assertThat(next(5, "a", 1)).isZero();
    assertThat(next(5, "b", 2)).isZero();
    assertThat(next(5, "a", 3)).isEqualTo(1);
    assertThat(next(Op.UPDATE, 5, "a", 4)).isZero();
    assertThat(next(6, "a", 5)).isZero();
  }

  @Test
  void whatTheProducerSendsTwiceKeepsItsRank() {
    ranks.begin(true);
    assertThat(next(5, "a", 7)).isZero();
    assertThat(next(5, "a", 8)).isEqualTo(1);
    assertThat(next(5, "a", 8)).isEqualTo(1);
    assertThat(next(5, "a", 7)).isZero();
    assertThat(next(5, "a", 8)).isEqualTo(1);
    assertThat(next(5, "a", 9)).isEqualTo(2);
  }

  @Test
  void aConnectorThatStartsAtThePositionCountsFromOne() {
    ranks.begin(true);
    assertThat(next(5, "a", 2)).isZero();
    assertThat(next(5, "a", 3)).isEqualTo(1);
    assertThat(next(5, "a", 1)).isZero();
    assertThat(next(5, "a", 2)).isEqualTo(1);
    assertThat(next(5, "a", 3)).isEqualTo(2);
  }

  @Test
  void aGapTearsThePositionApartUntilItBeginsAnew() {
    ranks.begin(true);
    assertThat(next(5, "a", 1)).isZero();
    assertThat(next(5, "a", 3)).isEqualTo(EqualRanks.TORN);
    assertThat(next(5, "b", 4)).isEqualTo(EqualRanks.TORN);
    assertThat(next(5, "a", 1)).isZero();
    assertThat(next(5, "a", 3)).isEqualTo(EqualRanks.TORN);
    assertThat(next(6, "a", 4)).isZero();
    assertThat(next(6, "a", 3)).as("below the first").isEqualTo(EqualRanks.TORN);
  }

  @Test
  void otherContentsUnderOneOrdinalTellNothing() {
    ranks.begin(true);
    assertThat(next(5, "a", 4)).isZero();
    assertThat(next(5, "b", 4)).isEqualTo(EqualRanks.TORN);
  }

  @Test
  void aRowThatCannotBeReadKeepsItsPlace() {
    ranks.begin(true);
    assertThat(next(5, "a", 4)).isZero();
    ranks.pass(new Changes().keyless().lsn(5L).ordinal(5).row(1L, "?").origin());
    assertThat(next(5, "a", 6)).isEqualTo(1);
    assertThat(next(5, "a", 5)).as("readable by now").isEqualTo(EqualRanks.TORN);
    assertThat(next(5, "a", 6)).isEqualTo(1);
  }

  @Test
  void nothingIsKnownOfAPositionWhoseBeginningWasNotSeen() {
    ranks.begin(false);
    assertThat(next(5, "a", 3)).isEqualTo(EqualRanks.UNKNOWN);
    assertThat(next(5, "a", 4)).isEqualTo(EqualRanks.UNKNOWN);
    assertThat(next(6, "a", 5)).isZero();
  }
}
