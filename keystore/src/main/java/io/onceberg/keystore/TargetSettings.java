package io.onceberg.keystore;

import java.io.Serializable;
import java.util.List;
import java.util.Map;

/**
 * What the user chose for one target.
 *
 * @param eventKey the columns of the business key; empty for {@link TargetKind#CHANGELOG}
 * @param partitionBy Iceberg partition expressions such as {@code days(created_at)}, {@code
 *     bucket(16, id)} or a column name; empty means unpartitioned
 * @param sourceEpoch part of every identity; raised after a restore, when source positions restart
 * @param newColumns what happens when a record brings a column the table lacks
 * @param tableProperties Iceberg table properties for tables made here
 * @param keys how the keys table is kept and searched
 * @param snapshots how many snapshots the tables keep
 */
public record TargetSettings(
    TargetName name,
    TargetKind kind,
    List<String> eventKey,
    List<String> partitionBy,
    int sourceEpoch,
    NewColumns newColumns,
    Map<String, String> tableProperties,
    KeySettings keys,
    SnapshotSettings snapshots)
    implements Serializable {
  /** The policy for columns that a table does not have yet. */
  public enum NewColumns {
    APPEND,
    IGNORE,
    FAIL
  }

  public TargetSettings {
    eventKey = List.copyOf(eventKey);
    partitionBy = List.copyOf(partitionBy);
    tableProperties = Map.copyOf(tableProperties);
    partitionBy.forEach(PartitionTerm::parse);
    if ((kind == TargetKind.EVENTS) == eventKey.isEmpty()) {
      throw new IllegalArgumentException(
          "target %s: kind %s with event key %s".formatted(name, kind, eventKey));
    }
  }

  /** Settings with snapshots as they are kept by default. */
  public TargetSettings(
      TargetName name,
      TargetKind kind,
      List<String> eventKey,
      List<String> partitionBy,
      int sourceEpoch,
      NewColumns newColumns,
      Map<String, String> tableProperties,
      KeySettings keys) {
    this(
        name,
        kind,
        eventKey,
        partitionBy,
        sourceEpoch,
        newColumns,
        tableProperties,
        keys,
        SnapshotSettings.DEFAULT);
  }

  /** Settings with keys and snapshots as they are kept by default. */
  public TargetSettings(
      TargetName name,
      TargetKind kind,
      List<String> eventKey,
      List<String> partitionBy,
      int sourceEpoch,
      NewColumns newColumns,
      Map<String, String> tableProperties) {
    this(
        name,
        kind,
        eventKey,
        partitionBy,
        sourceEpoch,
        newColumns,
        tableProperties,
        KeySettings.DEFAULT);
  }
}
