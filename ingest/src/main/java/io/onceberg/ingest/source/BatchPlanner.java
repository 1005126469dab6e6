package io.onceberg.ingest.source;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import io.onceberg.error.Reaction;
import io.onceberg.ingest.config.BatchLimits;
import io.onceberg.ingest.config.DaemonConfig;
import io.onceberg.keystore.Ledger;
import io.onceberg.keystore.SourceRange;
import io.onceberg.keystore.TargetName;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Decides which offsets come next, from the targets' ledgers and from what Kafka holds. What Kafka
 * no longer holds, or holds under another topic id, is refused by number and never passed over.
 */
public final class BatchPlanner implements AutoCloseable {
  private final DaemonConfig config;
  private final Function<TargetName, Ledger> ledgers;
  private final KafkaLog log;
  private final RecordSizes sizes;
  private final Topics topics;
  private final RangeCheck check;
  private boolean started;

  /**
   * Connects to Kafka; nothing is asked yet.
   *
   * @param ledgers where each target stands
   * @param cancelled asked while waiting for Kafka; when true, planning ends with
   *     CancellationException
   * @throws OncebergException OB-102 when Kafka's client refuses its settings
   */
  public BatchPlanner(
      DaemonConfig config,
      Function<TargetName, Ledger> ledgers,
      InstantSource clock,
      BooleanSupplier cancelled) {
    this.config = config;
    this.ledgers = ledgers;
    this.log = new KafkaLog(config.kafka(), cancelled);
    this.sizes = new RecordSizes(config.kafka());
    this.topics = new Topics(config, log, clock);
    this.check = new RangeCheck(config.start());
  }

  /** Sets the consumer group's offsets through the planner's connection. */
  public GroupOffsets groupOffsets() {
    return new GroupOffsets(log.admin(), config.kafka().groupId());
  }

  /** The targets known so far, stopped ones among them. */
  public Set<TargetName> targets() {
    return topics.known();
  }

  /**
   * Plans one batch.
   *
   * @param without targets that are stopped
   * @throws OncebergException when Kafka or the catalog does not answer, and at the first plan when
   *     a listed topic does not exist
   */
  public SourcePlan plan(Set<TargetName> without) {
    Map<TargetName, List<String>> wanted = new LinkedHashMap<>(topics.targets());
    wanted.keySet().removeAll(without);
    Map<String, TopicState> states =
        log.states(wanted.values().stream().flatMap(List::stream).toList());
    Map<TargetName, List<SourceRange>> pending = new HashMap<>();
    Map<TargetName, OncebergException> refused = new HashMap<>();
    wanted.forEach(
        (target, sources) -> {
          try {
            List<SourceRange> ranges = check.pending(ledgers.apply(target), sources, states);
            if (!ranges.isEmpty()) {
              pending.put(target, ranges);
            }
          } catch (OncebergException e) {
            refused.put(target, orThrow(e));
          }
        });
    started = true;
    return limited(pending, refused, undivided(states.values()));
  }

  private static Set<String> undivided(Collection<TopicState> states) {
    return states.stream()
        .filter(state -> state.partitions().size() == 1)
        .map(TopicState::topic)
        .collect(Collectors.toSet());
  }

  /**
   * Only what concerns one target is kept to it. A topic may vanish later, but not at the start.
   */
  private OncebergException orThrow(OncebergException error) {
    boolean ofOneTarget =
        error.code().reaction() == Reaction.STOP_TARGET
            || (started && error.code() == ErrorCode.TOPIC_MISSING);
    if (!ofOneTarget) {
      throw error;
    }
    return error;
  }

  private SourcePlan limited(
      Map<TargetName, List<SourceRange>> pending,
      Map<TargetName, OncebergException> refused,
      Set<String> undivided) {
    sizes.sample(pending.values().stream().flatMap(List::stream).toList());
    List<Map.Entry<TargetName, List<SourceRange>>> all = List.copyOf(pending.entrySet());
    double[] shares =
        FairShare.divide(1, all.stream().mapToDouble(entry -> cost(entry.getValue())).toArray());
    Map<TargetName, List<SourceRange>> planned = new HashMap<>();
    for (int i = 0; i < shares.length; i++) {
      planned.put(all.get(i).getKey(), cut(all.get(i).getValue(), shares[i]));
    }
    planned.values().stream().flatMap(List::stream).forEach(sizes::planned);
    long waiting = length(pending.values());
    boolean full = length(planned.values()) < waiting;
    return new SourcePlan(planned, refused, waiting, full, undivided);
  }

  private static long length(Collection<List<SourceRange>> ranges) {
    return ranges.stream().flatMap(List::stream).mapToLong(SourceRange::length).sum();
  }

  private List<SourceRange> cut(List<SourceRange> ranges, double share) {
    double[] shares = FairShare.divide(share, ranges.stream().mapToDouble(this::cost).toArray());
    List<SourceRange> cut = new ArrayList<>(ranges.size());
    for (int i = 0; i < shares.length; i++) {
      SourceRange range = ranges.get(i);
      // the small addend makes up for rounding: a range that fits is never cut
      long records = (long) (shares[i] / costOfOne(range) + 1e-6);
      long until = range.from() + Math.max(1, Math.min(range.length(), records));
      cut.add(new SourceRange(range.partition(), range.topicId(), range.from(), until));
    }
    return cut;
  }

  private double cost(List<SourceRange> ranges) {
    return ranges.stream().mapToDouble(this::cost).sum();
  }

  private double cost(SourceRange range) {
    return range.length() * costOfOne(range);
  }

  /** The part of a whole batch that one record takes, by rows or by bytes. */
  private double costOfOne(SourceRange range) {
    BatchLimits limits = config.batch();
    double bytes = sizes.average(range.partition().topic());
    return Math.max(1.0 / limits.maxRows(), bytes / limits.maxBytes());
  }

  @Override
  public void close() {
    sizes.close();
    log.close();
  }
}
