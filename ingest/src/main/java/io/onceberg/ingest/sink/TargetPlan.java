package io.onceberg.ingest.sink;

import io.onceberg.keystore.SourceRange;
import io.onceberg.keystore.TargetName;
import java.util.List;
import java.util.Set;

/**
 * The offsets that one batch reads for one target.
 *
 * @param undivided topics of one partition, whose records lie in the order they were sent in
 */
public record TargetPlan(TargetName target, List<SourceRange> ranges, Set<String> undivided) {
  public TargetPlan {
    ranges = List.copyOf(ranges);
    undivided = Set.copyOf(undivided);
    if (ranges.isEmpty()) {
      throw new IllegalArgumentException("nothing planned for " + target);
    }
  }
}
