package io.onceberg.it.bench.keys;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What is to be measured.
 *
 * @param without others that are left out
 * @param peers the directory with a module for each peer that runs in a process of its own
 * @param peerHeap of each of them
 * @param earlier a run with another number of keys to compare with
 */
record KeysPlan(
    EventNumbers numbers,
    Effort effort,
    Set<Measure> without,
    Path peers,
    PeerHeap peerHeap,
    @Nullable EarlierRun earlier,
    @Nullable Path keep) {
  KeysPlan {
    without = Set.copyOf(without);
    for (Measure measure : Peers.ALL) {
      Path pom = peers.resolve(measure.label()).resolve("pom.xml");
      if (!without.contains(measure) && !Files.exists(pom)) {
        throw new IllegalArgumentException("--peers: there is no " + pom);
      }
    }
  }

  /** Whether the target's rows have to be there, which take most of the time and disk. */
  boolean readsTarget() {
    return Arrays.stream(Measure.values()).anyMatch(m -> m.readsTarget() && has(m));
  }

  boolean has(Measure measure) {
    return !without.contains(measure);
  }
}
