package io.onceberg.it.bench.keys;

import io.onceberg.ingest.sink.TargetReport;
import io.onceberg.it.bench.BenchException;
import io.onceberg.keystore.SourceRange;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A batch through the daemon's engine: from Kafka to its commit, with or without deduplication. */
final class EngineContender implements Contender {
  private final Ingest ingest;
  private final EventNumbers numbers;
  private final Map<Duplicates, BatchTopic> topics;
  private final TargetState state;
  private final boolean plainAppend;
  private List<SourceRange> ranges = List.of();
  private @Nullable TargetReport report;
  private int stored;

  EngineContender(
      Ingest ingest,
      EventNumbers numbers,
      Map<Duplicates, BatchTopic> topics,
      TargetState state,
      boolean plainAppend) {
    this.ingest = ingest;
    this.numbers = numbers;
    this.topics = Map.copyOf(topics);
    this.state = state;
    this.plainAppend = plainAppend;
  }

  @Override
  public Measure measure() {
    return plainAppend ? Measure.APPEND : Measure.BATCH;
  }

  @Override
  public void prepare(Duplicates duplicates, int batch) {
    BatchTopic topic = topics.get(duplicates);
    if (topic == null) {
      throw new IllegalStateException("no topic for " + duplicates);
    }
    ranges = topic.ranges(batch);
    stored = plainAppend ? 0 : numbers.stored(duplicates);
  }

  @Override
  public void run() {
    report = ingest.batch(ranges, plainAppend);
  }

  @Override
  public void settle() {
    check();
    putBack();
  }

  /** Checks what the batch did and leaves it where it is. */
  void check() {
    TargetReport landed = report;
    if (landed == null) {
      throw new BenchException(measure().label() + " was not run");
    }
    Contender.check(measure(), "rows read", numbers.batchRows(), landed.read());
    Contender.check(measure(), "rows added", numbers.batchRows() - stored, landed.rows());
    Contender.check(measure(), "duplicates", stored, landed.connectorReplay());
  }

  void putBack() {
    state.restore();
    ingest.target().refresh();
  }
}
