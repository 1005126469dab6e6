package io.onceberg.it.bench.keys;

import io.onceberg.keystore.TargetKind;
import io.onceberg.keystore.TargetWriter;
import io.onceberg.keystore.TaskTarget;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/** Writes keys without rows, each part as one sorted run. */
final class KeysTask implements FlatMapFunction<Iterator<Integer>, byte[]> {
  private static final long serialVersionUID = 1L;

  private final TaskTarget target;
  private final KeyKind kind;
  private final List<BuildTask.Part> parts;

  /**
   * Makes the function.
   *
   * @param parts all parts; it is called with their places, which travel by any serializer
   */
  KeysTask(TaskTarget target, KeyKind kind, List<BuildTask.Part> parts) {
    this.target = target;
    this.kind = kind;
    this.parts = List.copyOf(parts);
  }

  @Override
  public Iterator<byte[]> call(Iterator<Integer> places) {
    List<byte[]> written = new ArrayList<>();
    places.forEachRemaining(place -> written.add(write(parts.get(place))));
    return written.iterator();
  }

  private byte[] write(BuildTask.Part part) {
    TaskContext context = TaskContext.get();
    TargetWriter writer = target.writer(part.day(), context.partitionId(), context.taskAttemptId());
    boolean events = target.settings().kind() == TargetKind.EVENTS;
    List<UnsafeRow> identities = new ArrayList<>(part.length());
    long[] payloads = new long[events ? part.length() : 0];
    for (int i = 0; i < part.length(); i++) {
      identities.add(kind.identity(part.from() + i));
      if (events) {
        payloads[i] = kind.payloadHash(part.from() + i);
      }
    }
    writer.writeKeys(identities, payloads);
    return Parts.pack(writer.finish());
  }
}
