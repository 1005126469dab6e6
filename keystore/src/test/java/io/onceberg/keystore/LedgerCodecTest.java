package io.onceberg.keystore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class LedgerCodecTest {
  private static final BatchId BATCH = new BatchId(42, "9f86d081884c7d65");

  private static Ledger ledger() {
    TreeMap<SourcePartition, SourceProgress> progress = new TreeMap<>();
    progress.put(new SourcePartition("a.\"b\"", 0), new SourceProgress("old", 7));
    progress.put(new SourcePartition("a.\"b\"", 1), new SourceProgress("new", Long.MAX_VALUE));
    progress.put(new SourcePartition("a.\"b\"", 10), new SourceProgress("old", 0));
    progress.put(new SourcePartition("z", 3), new SourceProgress("x", 1));
    return new Ledger(BATCH, 2, progress);
  }

  @Test
  void survivesTheSummary() {
    LedgerEntry entry = new LedgerEntry(ledger(), "s3://b/pending.txt");
    assertThat(LedgerCodec.fromSummary(LedgerCodec.summary(entry))).contains(entry);
  }

  @Test
  void survivesTheProperty() {
    LedgerEntry entry = new LedgerEntry(ledger(), null);
    assertThat(LedgerCodec.fromProperty(LedgerCodec.property(entry))).isEqualTo(entry);
  }

  @Test
  void writesWhatTheSpecSays() {
    Ledger ledger = Lake.ledger(BATCH, 1200);
    assertThat(LedgerCodec.summary(new LedgerEntry(ledger, null)))
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                "onceberg.ledger-version", "1",
                "onceberg.batch-id", "42-9f86d081884c7d65",
                "onceberg.source-epoch", "0",
                "onceberg.offsets",
                    "[{\"topic\":\"orders\",\"topic-id\":\"topic-id\",\"next\":{\"0\":1200}}]"));
  }

  @Test
  void passesOverOtherWriters() {
    assertThat(LedgerCodec.fromSummary(Map.of("added-data-files", "3"))).isEmpty();
  }

  @Test
  void refusesWhatItCannotRead() {
    Map<String, String> summary =
        new HashMap<>(LedgerCodec.summary(new LedgerEntry(ledger(), null)));
    summary.put("onceberg.offsets", "[{\"topic\":\"a\",\"topic-id\":\"b\",\"next\":{\"0\":1.5}}]");
    assertBroken(() -> LedgerCodec.fromSummary(summary));
    summary.put("onceberg.offsets", "{");
    assertBroken(() -> LedgerCodec.fromSummary(summary));
    summary.remove("onceberg.offsets");
    assertBroken(() -> LedgerCodec.fromSummary(summary));
    assertBroken(() -> LedgerCodec.fromProperty("{\"version\":2}"));
  }

  private static void assertBroken(Runnable read) {
    assertThatThrownBy(read::run)
        .isInstanceOfSatisfying(
            OncebergException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.LEDGER_BROKEN));
  }
}
