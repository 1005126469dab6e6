package io.onceberg.it.bench.keys;

import io.onceberg.ingest.config.DedupPolicy;
import io.onceberg.keystore.KeyHits;
import io.onceberg.keystore.TargetWriter;
import io.onceberg.keystore.TaskTarget;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/** One task's share of a batch in memory: decoded, identified, not deduplicated. */
final class StagedRows {
  private final List<UnsafeRow> rows = new ArrayList<>();
  private final List<UnsafeRow> identities = new ArrayList<>();
  private final List<Long> payloads = new ArrayList<>();

  private StagedRows() {}

  /**
   * Makes the events of one share.
   *
   * @param shares how many there are; an event's share is chosen by its identity's hash
   */
  static StagedRows of(
      TaskTarget target,
      DedupPolicy policy,
      int loadedDate,
      long[] numbers,
      int share,
      int shares) {
    StagedRows staged = new StagedRows();
    TargetRows rows = new TargetRows(target, policy, loadedDate);
    UnsafeProjection projection = UnsafeProjection.create(target.rowType());
    for (long number : numbers) {
      UnsafeRow identity = rows.at(number).identity();
      if (Math.floorMod(identity.hashCode(), shares) == share) {
        staged.rows.add(projection.apply(rows.row()).copy());
        staged.identities.add(identity);
        staged.payloads.add(rows.payloadHash());
      }
    }
    return staged;
  }

  /** Writes the rows' files, and those of the keys unless it is a plain append. */
  byte[] write(TaskTarget target, int loadedDate, boolean plainAppend) {
    TaskContext context = TaskContext.get();
    TargetWriter writer = target.writer(loadedDate, context.partitionId(), context.taskAttemptId());
    if (plainAppend) {
      rows.forEach(writer::writeRow);
    } else {
      writeNovel(target, writer);
    }
    return Parts.pack(writer.finish());
  }

  private void writeNovel(TaskTarget target, TargetWriter writer) {
    KeyHits hits = target.lookup().find(identities);
    List<UnsafeRow> novel = new ArrayList<>(identities.size());
    long[] hashes = new long[identities.size() - hits.stored().cardinality()];
    for (int i = hits.stored().nextClearBit(0);
        i < identities.size();
        i = hits.stored().nextClearBit(i + 1)) {
      writer.writeRow(rows.get(i));
      hashes[novel.size()] = payloads.get(i);
      novel.add(identities.get(i));
    }
    writer.writeKeys(novel, hashes);
  }

  /** Writes the rows alone, as files that no table knows. */
  static Iterator<byte[]> export(
      TaskTarget target, DedupPolicy policy, int loadedDate, Iterator<long[]> batches) {
    List<byte[]> written = new ArrayList<>();
    batches.forEachRemaining(
        numbers -> {
          StagedRows staged = of(target, policy, loadedDate, numbers, 0, 1);
          written.add(staged.write(target, loadedDate, true));
        });
    return written.iterator();
  }
}
