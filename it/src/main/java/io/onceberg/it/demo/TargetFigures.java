package io.onceberg.it.demo;

import com.fasterxml.jackson.annotation.JsonPropertyOrder;

/**
 * One line of the demo's result. Events are counted in Kafka, rows and keys in Iceberg, missing and
 * extra against the database; only the duplicates by cause are the daemon's own figures.
 *
 * @param name the target
 * @param changeEvents change events in Kafka, replays counted
 * @param distinctEvents those that are not a repetition of another
 * @param readAgainAfterKill records of the batch that the kill interrupted, read again
 */
@JsonPropertyOrder({
  "name",
  "changeEvents",
  "distinctEvents",
  "rows",
  "keys",
  "duplicates",
  "readAgainAfterKill",
  "quarantined",
  "missing",
  "extra"
})
record TargetFigures(
    String name,
    long changeEvents,
    long distinctEvents,
    long rows,
    long keys,
    Duplicates duplicates,
    long readAgainAfterKill,
    long quarantined,
    long missing,
    long extra) {
  /**
   * Events that were recognised and left out.
   *
   * @param inBatch both copies lay in one batch
   * @param connectorReplay the keys table held the event already
   */
  record Duplicates(long inBatch, long connectorReplay) {
    long sum() {
      return inBatch + connectorReplay;
    }
  }
}
