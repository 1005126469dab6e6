package io.onceberg.it.bench.keys;

import io.onceberg.ingest.config.DedupPolicy;
import io.onceberg.keystore.TargetWriter;
import io.onceberg.keystore.TaskTarget;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/** Writes stored events of one day: their rows, if wanted, and their keys as one sorted run. */
final class BuildTask implements FlatMapFunction<Iterator<Integer>, byte[]> {
  private static final long serialVersionUID = 1L;

  /**
   * Some events of one day.
   *
   * @param day days since the epoch
   */
  record Part(int day, long from, long until) implements Serializable {
    int length() {
      return Math.toIntExact(until - from);
    }
  }

  private final TaskTarget target;
  private final DedupPolicy policy;
  private final List<Part> parts;
  private final boolean withRows;

  /**
   * Makes the function.
   *
   * @param parts all parts; it is called with their places, which travel by any serializer
   */
  BuildTask(TaskTarget target, DedupPolicy policy, List<Part> parts, boolean withRows) {
    this.target = target;
    this.policy = policy;
    this.parts = List.copyOf(parts);
    this.withRows = withRows;
  }

  @Override
  public Iterator<byte[]> call(Iterator<Integer> places) {
    List<byte[]> written = new ArrayList<>();
    places.forEachRemaining(place -> written.add(write(parts.get(place))));
    return written.iterator();
  }

  private byte[] write(Part part) {
    TaskContext context = TaskContext.get();
    TargetWriter writer = target.writer(part.day(), context.partitionId(), context.taskAttemptId());
    TargetRows rows = new TargetRows(target, policy, part.day());
    List<UnsafeRow> identities = new ArrayList<>(part.length());
    long[] payloads = new long[part.length()];
    for (int i = 0; i < part.length(); i++) {
      rows.at(part.from() + i);
      if (withRows) {
        writer.writeRow(rows.row());
      }
      identities.add(rows.identity());
      payloads[i] = rows.payloadHash();
    }
    writer.writeKeys(identities, payloads);
    return Parts.pack(writer.finish());
  }
}
