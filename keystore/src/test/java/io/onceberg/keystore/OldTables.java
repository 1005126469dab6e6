package io.onceberg.keystore;

import io.onceberg.keystore.TableMarks.Role;
import java.util.HashMap;
import java.util.Map;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.SupportsNamespaces;

/** Makes tables as earlier versions did. */
final class OldTables {
  private OldTables() {}

  /** An empty keys table of an events target, as identity version 1 had it. */
  static void createKeys(TargetSettings settings) {
    Namespace namespace = settings.name().keys().namespace();
    SupportsNamespaces namespaces = (SupportsNamespaces) Lakehouse.CATALOG;
    if (!namespaces.namespaceExists(namespace)) {
      namespaces.createNamespace(namespace);
    }
    Map<String, String> properties = new HashMap<>(TableDefaults.of(settings, Role.KEYS));
    properties.put("onceberg.identity-version", "1");
    properties.keySet().removeIf(name -> name.endsWith("column." + TableColumns.KEY_HASH));
    Lakehouse.CATALOG
        .buildTable(settings.name().keys(), TableColumns.EVENT_KEYS)
        .withPartitionSpec(
            PartitionSpec.builderFor(TableColumns.EVENT_KEYS)
                .identity(TableColumns.LOADED_DATE)
                .build())
        .withProperties(properties)
        .create();
  }
}
