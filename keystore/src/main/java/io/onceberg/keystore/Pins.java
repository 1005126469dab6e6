package io.onceberg.keystore;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
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
        keyFiles.current(tables.keys(), LeadColumn.ids(current.image.keyLeads())),
        quarantineFiles.current(
            tables.quarantine(), LeadColumn.ids(List.of(current.image.quarantineLead()))));
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
