package io.onceberg.ingest.source;

import io.onceberg.error.OncebergException;
import io.onceberg.ingest.config.DaemonConfig;
import io.onceberg.ingest.config.TopicSelection;
import io.onceberg.keystore.TargetName;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The topics that are read now: a fixed list, or those that match, looked up every few seconds. */
final class Topics {
  private static final Logger LOG = LoggerFactory.getLogger(Topics.class);
  private static final Duration LOOK_AGAIN = Duration.ofSeconds(2);

  private final DaemonConfig config;
  private final KafkaLog log;
  private final InstantSource clock;
  private final List<String> taken = new ArrayList<>();
  private final Set<String> refused = new HashSet<>();
  private Map<TargetName, List<String>> targets;
  private @Nullable Instant looked;
  private boolean saidNone;

  Topics(DaemonConfig config, KafkaLog log, InstantSource clock) {
    this.config = config;
    this.log = log;
    this.clock = clock;
    if (config.topics() instanceof TopicSelection.Listed listed) {
      taken.addAll(listed.topics());
    }
    this.targets = config.targetsOf(taken);
  }

  /** Every target with its topics. */
  Map<TargetName, List<String>> targets() {
    if (config.topics() instanceof TopicSelection.Matching matching && isTimeToLook()) {
      look(matching);
    }
    return targets;
  }

  /** The targets found so far, without looking. */
  Set<TargetName> known() {
    return Set.copyOf(targets.keySet());
  }

  private boolean isTimeToLook() {
    Instant now = clock.instant();
    // a clock that was set back must not make it wait until the clock has caught up
    return looked == null || now.isBefore(looked) || !now.isBefore(looked.plus(LOOK_AGAIN));
  }

  private void look(TopicSelection.Matching matching) {
    List<String> found = log.matching(matching.pattern());
    boolean first = looked == null;
    for (String topic : found) {
      if (!taken.contains(topic) && !refused.contains(topic)) {
        take(topic, first);
      }
    }
    looked = clock.instant();
    if (taken.isEmpty() && !saidNone) {
      saidNone = true;
      LOG.warn("no topic matches {} yet; waiting for one", matching.pattern());
    }
  }

  /** A new topic that the settings do not allow stops the start, but not a daemon at work. */
  private void take(String topic, boolean first) {
    List<String> more = new ArrayList<>(taken);
    more.add(topic);
    try {
      Map<TargetName, List<String>> next = config.targetsOf(more);
      TargetName target = config.target(config.route(topic)).table().name();
      LOG.info("topic {} goes to {}", topic, target);
      targets = next;
      taken.add(topic);
    } catch (OncebergException e) {
      if (first) {
        throw e;
      }
      refused.add(topic);
      LOG.error("topic {} is not read: {}", topic, e.getMessage());
    }
  }
}
