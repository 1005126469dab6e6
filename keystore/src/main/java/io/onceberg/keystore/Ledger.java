package io.onceberg.keystore;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The only truth about progress: the last batch of a target and how far each partition was
 * committed. It lies in the summaries of the snapshots that the batch made (see docs/ledger.md).
 *
 * @param lastBatch the batch whose commit wrote this ledger; null before the first
 * @param sourceEpoch the setting {@code source.epoch} in force at that commit
 */
public record Ledger(
    @Nullable BatchId lastBatch,
    int sourceEpoch,
    SortedMap<SourcePartition, SourceProgress> progress) {
  public Ledger {
    progress = Collections.unmodifiableSortedMap(new TreeMap<>(progress));
  }

  public static Ledger empty(int sourceEpoch) {
    return new Ledger(null, sourceEpoch, new TreeMap<>());
  }

  public Optional<SourceProgress> progress(SourcePartition partition) {
    return Optional.ofNullable(progress.get(partition));
  }

  /** The id that a batch over these ranges has when it comes next. */
  public BatchId nextBatch(List<SourceRange> ranges) {
    return BatchId.of(lastBatch == null ? 1 : lastBatch.sequence() + 1, ranges);
  }

  /**
   * The ledger after a batch.
   *
   * @throws IllegalArgumentException when a range does not start where its partition stands
   */
  public Ledger advance(BatchId batch, List<SourceRange> ranges) {
    TreeMap<SourcePartition, SourceProgress> next = new TreeMap<>(progress);
    for (SourceRange range : ranges) {
      SourceProgress before = next.get(range.partition());
      if (before != null && before.nextOffset() != range.from()) {
        throw new IllegalArgumentException(
            "gap in %s: last=%d next=%d"
                .formatted(range.partition(), before.nextOffset(), range.from()));
      }
      next.put(range.partition(), new SourceProgress(range.topicId(), range.until()));
    }
    return new Ledger(batch, sourceEpoch, next);
  }
}
