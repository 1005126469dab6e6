package io.onceberg.ingest.cli;

import io.onceberg.ingest.config.ConfigFile;
import io.onceberg.ingest.config.DaemonConfig;
import io.onceberg.keystore.CatalogSettings;
import io.onceberg.keystore.KeySettings;
import io.onceberg.keystore.KeysTable;
import io.onceberg.keystore.TargetName;
import io.onceberg.keystore.Warehouse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which keys tables a command is about: one that is named, or all that there are. */
final class KeyTables {
  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "The settings of the daemon. Without: the catalog in the directory warehouse.")
  private @Nullable Path config;

  @Option(
      names = "--table",
      paramLabel = "TABLE",
      description = "The target, such as orders or shop.orders. Without: all targets.")
  private @Nullable String table;

  /** What is done with each table. */
  interface Work {
    void with(KeysTable keys);
  }

  /** Opens the tables one after the other. */
  void forEach(Work work) {
    Map<String, String> settings = config == null ? Map.of() : ConfigFile.read(config);
    CatalogSettings catalog = DaemonConfig.catalogOf(settings);
    KeySettings keys = DaemonConfig.keysOf(settings);
    Warehouse.look(catalog);
    try (Warehouse warehouse = Warehouse.open(catalog)) {
      for (TargetName target : targets(settings, warehouse)) {
        work.with(warehouse.keys(target, keys));
      }
    }
  }

  private List<TargetName> targets(Map<String, String> settings, Warehouse warehouse) {
    if (table != null) {
      return List.of(DaemonConfig.targetOf(settings, table));
    }
    List<TargetName> all = new ArrayList<>();
    for (String namespace : DaemonConfig.namespacesOf(settings)) {
      all.addAll(warehouse.targets(namespace));
    }
    return all;
  }
}
