package io.onceberg.ingest.sink;

import io.onceberg.keystore.SourceRange;
import io.onceberg.keystore.TargetName;
import java.util.List;

/** The offsets that one batch reads for one target. */
public record TargetPlan(TargetName target, List<SourceRange> ranges) {
  public TargetPlan {
    ranges = List.copyOf(ranges);
    if (ranges.isEmpty()) {
      throw new IllegalArgumentException("nothing planned for " + target);
    }
  }
}
