package io.onceberg.ingest.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import io.onceberg.error.ErrorCode;
import io.onceberg.ingest.config.DedupPolicy;
import io.onceberg.ingest.config.DedupPolicy.Conflict;
import io.onceberg.ingest.config.DedupPolicy.SnapshotRows;
import io.onceberg.ingest.config.DedupPolicy.Twins;
import io.onceberg.ingest.decode.Decoded;
import io.onceberg.ingest.decode.Op;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.junit.jupiter.api.Test;

class IdentityRuleTest {
  private static final int LSN = 2;
  private static final int ORDINAL = 7;

  private final IdentityRule changelog =
      new IdentityRule(StubTarget.changelog(), DedupPolicy.DEFAULT);

  @Test
  void sameEventAtAnotherOffsetAndTimeIsTheSame() {
    UnsafeRow first = identity(changelog, new Changes().tsMicros(1).row(1L, "a"), 0, 10);
    UnsafeRow again = identity(changelog, new Changes().tsMicros(999).row(1L, "a"), 3, 77);
    assertThat(again).isEqualTo(first);
  }

  @Test
  void eventsOfOneCopyShareTheLsnAndDifferInTheKey() {
    assertThat(identity(changelog, new Changes().row(1L, "a"), 0, 1))
        .isNotEqualTo(identity(changelog, new Changes().row(2L, "a"), 0, 2));
  }

  @Test
  void deleteAndCreateOfAChangedKeyShareTheLsnAndDiffer() {
    assertThat(identity(changelog, new Changes().op(Op.DELETE).row(1L, null), 0, 1))
        .isNotEqualTo(identity(changelog, new Changes().op(Op.CREATE).row(1L, null), 0, 2));
  }

  @Test
  void anLsnAboveTheSignedRangeIsKept() {
    assertThat(identity(changelog, new Changes().lsn(-1L).row(1L, "a"), 0, 1).getLong(2))
        .isEqualTo(-1L);
  }

  @Test
  void snapshotRowsAreKnownByKeyAndContentOnly() {
    Changes snapshot = new Changes().op(Op.READ);
    UnsafeRow row = identity(changelog, snapshot.lsn(5L).row(1L, "a"), 0, 1);
    assertThat(identity(changelog, snapshot.lsn(9L).row(1L, "a"), 0, 2)).isEqualTo(row);
    assertThat(identity(changelog, snapshot.lsn(9L).row(1L, "b"), 0, 3)).isNotEqualTo(row);
    assertThat(identity(changelog, new Changes().lsn(5L).row(1L, "a"), 0, 4)).isNotEqualTo(row);
  }

  @Test
  void snapshotsAreKeptApartWhereTheUserSaysSo() {
    IdentityRule rule =
        new IdentityRule(
            StubTarget.changelog(),
            new DedupPolicy(Conflict.QUARANTINE, Twins.REFUSE, SnapshotRows.KEEP_EACH));
    Changes snapshot = new Changes().op(Op.READ);
    UnsafeRow first = identity(rule, snapshot.lsn(5L).row(1L, "a"), 0, 1);
    UnsafeRow second = identity(rule, snapshot.lsn(9L).row(1L, "a"), 0, 2);
    assertThat(identity(rule, snapshot.lsn(5L).row(1L, "a"), 0, 3)).isEqualTo(first);
    assertThat(second).isNotEqualTo(first);
    // all rows of a snapshot share its LSN, so it must not lead them
    assertThat(List.of(first.isNullAt(LSN), first.getLong(ORDINAL))).containsExactly(true, 5L);
  }

  @Test
  void tablesOfTheFirstVersionKnowKeptSnapshotRowsByTheirLsn() {
    IdentityRule rule =
        new IdentityRule(
            StubTarget.changelog().version(1),
            new DedupPolicy(Conflict.QUARANTINE, Twins.REFUSE, SnapshotRows.KEEP_EACH));
    UnsafeRow row = identity(rule, new Changes().op(Op.READ).lsn(5L).row(1L, "a"), 0, 1);
    assertThat(List.of(row.getLong(LSN), row.isNullAt(ORDINAL))).containsExactly(5L, true);
  }

  /** Debezium may count anew: which of them a twin is, is settled later. */
  @Test
  void twinsDifferOnceTheyAreStored() {
    Changes twins = new Changes().keyless();
    UnsafeRow first = identity(changelog, twins.ordinal(1).row(1L, "a"), 0, 1);
    UnsafeRow second = identity(changelog, twins.ordinal(2).row(1L, "a"), 0, 2);
    assertThat(second).isEqualTo(first);
    assertThat(second.isNullAt(ORDINAL)).isTrue();
    assertThat(stored(twins.ordinal(2).row(1L, "a")))
        .isNotEqualTo(stored(twins.ordinal(1).row(1L, "a")));
  }

  private UnsafeRow stored(Decoded.Change change) {
    return changelog.ofStoredChange(change.origin(), 0, null, new byte[16], 0, 1).copy();
  }

  @Test
  void twinsWithoutAnOrdinalAreRefusedUntilThePolicyIsChosen() {
    Decoded.Change change = new Changes().keyless().row(1L, "a");
    assertThat(changelog.identify(change, 0, 1))
        .isInstanceOfSatisfying(
            NoIdentity.class, none -> assertThat(none.code()).isEqualTo(ErrorCode.TWINS_UNSETTLED));
    IdentityRule collapse = rule(Twins.COLLAPSE);
    assertThat(identity(collapse, change, 0, 1)).isEqualTo(identity(collapse, change, 0, 2));
    IdentityRule keep = rule(Twins.KEEP);
    assertThat(identity(keep, change, 0, 1)).isNotEqualTo(identity(keep, change, 0, 2));
  }

  @Test
  void updatesWithoutAKeyDifferByTheStateBefore() {
    Changes update = new Changes().keyless().op(Op.UPDATE).ordinal(1);
    assertThat(identity(changelog, update.before(1L, "x").row(1L, "a"), 0, 1))
        .isNotEqualTo(identity(changelog, update.before(1L, "y").row(1L, "a"), 0, 1));
  }

  @Test
  void aChangeWithoutAPositionHasNoIdentity() {
    assertThat(changelog.identify(new Changes().lsn(null).row(1L, "a"), 0, 1))
        .isInstanceOfSatisfying(
            NoIdentity.class, none -> assertThat(none.code()).isEqualTo(ErrorCode.NO_POSITION));
  }

  @Test
  void eventsAreKnownByTheirKeyAndKeepAHashOfThePayload() {
    IdentityRule rule = new IdentityRule(StubTarget.events("id"), DedupPolicy.DEFAULT);
    Identity first = (Identity) rule.identify(new Changes().lsn(1L).row(1L, "a"), 0, 1);
    UnsafeRow row = first.row().copy();
    Identity replay = (Identity) rule.identify(new Changes().lsn(2L).row(1L, "a"), 0, 2);
    assertThat(replay.row()).isEqualTo(row);
    assertThat(replay.payloadHash()).isEqualTo(first.payloadHash());
    Identity conflict = (Identity) rule.identify(new Changes().row(1L, "b"), 0, 3);
    assertThat(conflict.row()).isEqualTo(row);
    assertThat(conflict.payloadHash()).isNotEqualTo(first.payloadHash());
  }

  @Test
  void aCompositeKeyCarriesAHashOfItsColumnsAndNothingElse() {
    IdentityRule rule = new IdentityRule(StubTarget.events("name", "id"), DedupPolicy.DEFAULT);
    UnsafeRow row = identity(rule, new Changes().lsn(1L).row(1L, "a"), 0, 1);
    assertThat(row.numFields()).isEqualTo(3);
    assertThat(identity(rule, new Changes().lsn(2L).row(1L, "a"), 3, 7)).isEqualTo(row);
    assertThat(identity(rule, new Changes().row(2L, "a"), 0, 1).getLong(2))
        .isNotEqualTo(row.getLong(2));
    // stored for ever: changing this value lets replays through
    assertThat(row.getLong(2)).isEqualTo(-5185171732543303411L);
  }

  @Test
  void tablesOfTheFirstVersionHaveNoKeyHash() {
    IdentityRule rule =
        new IdentityRule(StubTarget.events("name", "id").version(1), DedupPolicy.DEFAULT);
    assertThat(identity(rule, new Changes().row(1L, "a"), 0, 1).numFields()).isEqualTo(2);
  }

  @Test
  void eventsWithANullInTheKeyOrWithAMutationHaveNoIdentity() {
    IdentityRule rule = new IdentityRule(StubTarget.events("id", "name"), DedupPolicy.DEFAULT);
    assertThat(rule.identify(new Changes().row(1L, null), 0, 1))
        .isInstanceOfSatisfying(
            NoIdentity.class,
            none -> assertThat(none.code()).isEqualTo(ErrorCode.NULL_IN_EVENT_KEY));
    assertThat(rule.identify(new Changes().op(Op.UPDATE).row(1L, "a"), 0, 1))
        .isInstanceOfSatisfying(
            NoIdentity.class, none -> assertThat(none.code()).isEqualTo(ErrorCode.EVENT_MUTATION));
  }

  private static IdentityRule rule(Twins twins) {
    return new IdentityRule(
        StubTarget.changelog(), new DedupPolicy(Conflict.QUARANTINE, twins, SnapshotRows.COLLAPSE));
  }

  private static UnsafeRow identity(
      IdentityRule rule, Decoded.Change change, int partition, long offset) {
    return ((Identity) rule.identify(change, partition, offset)).row().copy();
  }
}
