package io.onceberg.it.daemon;

import io.onceberg.error.OncebergException;
import io.onceberg.ingest.loop.TargetLedgers;
import io.onceberg.ingest.sink.BatchEngine;
import io.onceberg.ingest.sink.BatchPlan;
import io.onceberg.ingest.sink.TargetPlan;
import io.onceberg.ingest.sink.TargetReport;
import io.onceberg.ingest.sink.TargetResult;
import io.onceberg.ingest.source.KafkaRangeReader;
import io.onceberg.ingest.source.RangeReader;
import io.onceberg.keystore.BatchId;
import io.onceberg.keystore.Ledger;
import io.onceberg.keystore.SourceRange;
import io.onceberg.keystore.TargetName;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Reads batches from Kafka for real and keeps values and ledgers in memory; fails when told to. */
final class ReadingEngine implements BatchEngine, TargetLedgers {
  private final RangeReader reader;
  private final Map<TargetName, Ledger> ledgers = new ConcurrentHashMap<>();
  final Map<TargetName, List<String>> read = new ConcurrentHashMap<>();
  final Map<TargetName, OncebergException> broken = new ConcurrentHashMap<>();
  final Queue<RuntimeException> failures = new ArrayDeque<>();
  final Queue<OncebergException> closed = new ArrayDeque<>();
  final List<TargetName> reloaded = new CopyOnWriteArrayList<>();
  final Set<TargetName> forgetful = new HashSet<>();
  Runnable duringBatch = () -> {};

  ReadingEngine(String servers) {
    reader = new KafkaRangeReader(Map.of("bootstrap.servers", servers), Duration.ofSeconds(5));
  }

  @Override
  public List<TargetResult> run(BatchPlan plan) {
    duringBatch.run();
    RuntimeException failure = failures.poll();
    if (failure != null) {
      throw failure;
    }
    return plan.targets().stream().map(this::run).toList();
  }

  private TargetResult run(TargetPlan plan) {
    TargetName target = plan.target();
    OncebergException error = broken.get(target);
    if (error != null) {
      return new TargetResult.Failed(target, error);
    }
    List<String> values = new ArrayList<>();
    for (SourceRange range : plan.ranges()) {
      reader.read(range, new Keeping(values));
    }
    read.computeIfAbsent(target, name -> new CopyOnWriteArrayList<>()).addAll(values);
    BatchId batch = ledger(target).nextBatch(plan.ranges());
    Ledger next =
        forgetful.contains(target) ? ledger(target) : ledger(target).advance(batch, plan.ranges());
    ledgers.put(target, next);
    return new TargetResult.Landed(
        new TargetReport(
            target, batch, values.size(), values.size(), 0, 0, 0, 0, Map.of(), 0, 0, Map.of(), 0),
        next);
  }

  List<String> values(TargetName target) {
    return read.getOrDefault(target, List.of());
  }

  @Override
  public void open() {
    OncebergException failure = closed.poll();
    if (failure != null) {
      throw failure;
    }
  }

  @Override
  public Ledger ledger(TargetName target) {
    return ledgers.getOrDefault(target, Ledger.empty(0));
  }

  @Override
  public void reload(TargetName target) {
    reloaded.add(target);
  }

  private record Keeping(List<String> values) implements RangeReader.Handler {
    @Override
    public void accept(ConsumerRecord<byte[], byte[]> record) {
      values.add(new String(record.value(), StandardCharsets.UTF_8));
    }
  }
}
