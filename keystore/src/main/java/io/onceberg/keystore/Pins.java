package io.onceberg.keystore;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Table;
import org.apache.iceberg.io.FileIO;
import org.jspecify.annotations.Nullable;

/** Makes the view of a target that tasks get, keeping between batches what has not changed. */
final class Pins {
  /** Moves with every batch and matters to no task. */
  private static final String LEDGER = "onceberg.ledger";

  private final TargetSettings settings;
  private final StoredFiles keyFiles = new StoredFiles();
  private final StoredFiles quarantineFiles = new StoredFiles();
  private @Nullable Made made;
  private int nothingBefore = Integer.MIN_VALUE;

  Pins(TargetSettings settings) {
    this.settings = settings;
  }

  /** All that an image is made from, for one table. */
  private record Version(
      UUID uuid, int schema, int spec, int order, Map<String, String> properties, FileIO io) {
    static Version of(Table table) {
      Map<String, String> properties = new HashMap<>(table.properties());
      properties.remove(LEDGER);
      return new Version(
          table.uuid(),
          table.schema().schemaId(),
          table.spec().specId(),
          table.sortOrder().orderId(),
          properties,
          table.io());
    }
  }

  private record Made(List<Version> versions, String id, TableImage image, byte[] packed) {}

  PinnedTarget pin(TargetTables tables) {
    Made current = made(tables);
    return new PinnedTarget(
        current.id,
        current.packed,
        TableMarks.droppedBefore(tables.keys()),
        metadataFile(tables.rows()),
        keyFiles.current(tables.keys(), LeadColumn.ids(current.image.keyLeads())),
        quarantineFiles.current(
            tables.quarantine(), LeadColumn.ids(List.of(current.image.quarantineLead()))));
  }

  private static String metadataFile(Table table) {
    return ((HasTableOperations) table).operations().current().metadataFileLocation();
  }

  /** The key files of all days before one. Looks once for each day: no older keys appear later. */
  KeyDrop drop(TargetTables tables, int before) {
    if (before == nothingBefore) {
      return KeyDrop.NONE;
    }
    int[] leads = LeadColumn.ids(made(tables).image.keyLeads());
    PartitionSpec spec = tables.keys().spec();
    List<DataFile> old =
        StoredFiles.decode(keyFiles.current(tables.keys(), leads), leads.length).stream()
            .filter(file -> file.day() != StoredFile.NO_DAY && file.day() < before)
            .map(file -> file.dataFile(spec))
            .toList();
    if (old.isEmpty()) {
      nothingBefore = before;
    }
    return new KeyDrop(before, old);
  }

  private Made made(TargetTables tables) {
    List<Version> versions =
        List.of(
            Version.of(tables.rows()), Version.of(tables.keys()), Version.of(tables.quarantine()));
    Made known = made;
    if (known != null && known.versions.equals(versions)) {
      return known;
    }
    TableImage image = new TableImage(settings, tables);
    Made fresh = new Made(versions, UUID.randomUUID().toString(), image, image.pack());
    TableImage.keep(fresh.id, image);
    made = fresh;
    return fresh;
  }
}
