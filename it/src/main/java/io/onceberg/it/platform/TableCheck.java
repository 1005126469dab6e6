package io.onceberg.it.platform;

import java.util.ArrayList;
import java.util.List;

/**
 * A target held against what the database has recorded.
 *
 * @param rows in the target
 * @param missing changes of the database that have no row
 * @param extra rows that no change accounts for
 * @param identities how many of the keys are different
 * @param filesTwice live data files that are referenced more than once
 * @param atEnd whether the ledger stands at the ends of the topic
 * @param examples a few of the missing and the extra
 */
public record TableCheck(
    String table,
    long rows,
    long missing,
    long extra,
    long keys,
    long identities,
    long quarantined,
    List<String> filesTwice,
    boolean atEnd,
    List<String> examples) {
  public TableCheck {
    filesTwice = List.copyOf(filesTwice);
    examples = List.copyOf(examples);
  }

  /** What is not as it must be; nothing when the target is whole. */
  public List<String> faults() {
    List<String> faults = new ArrayList<>();
    require(faults, missing == 0, "misses %d changes".formatted(missing));
    require(faults, extra == 0, "has %d rows too many".formatted(extra));
    require(faults, keys == rows, "has %d keys for %d rows".formatted(keys, rows));
    require(
        faults,
        identities == keys,
        "has %d keys of which %d are different".formatted(keys, identities));
    require(faults, quarantined == 0, "has %d quarantined events".formatted(quarantined));
    require(faults, filesTwice.isEmpty(), "references files twice: " + filesTwice);
    require(faults, atEnd, "has a ledger that does not stand at the ends of the topic");
    examples.forEach(example -> require(faults, false, example));
    return faults;
  }

  private void require(List<String> faults, boolean holds, String otherwise) {
    if (!holds) {
      faults.add(table + " " + otherwise);
    }
  }
}
