package io.onceberg.ingest.cli;

import io.onceberg.ingest.config.ConfigFile;
import io.onceberg.ingest.config.DaemonConfig;
import io.onceberg.ingest.config.TargetDefinition;
import io.onceberg.ingest.dedup.StoredIdentity;
import io.onceberg.keystore.CatalogSettings;
import io.onceberg.keystore.KeyRebuilt;
import io.onceberg.keystore.KeysTable;
import io.onceberg.keystore.Warehouse;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.InstantSource;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code onceberg keys rebuild}: the keys table, made again from the rows. */
@Command(
    name = "rebuild",
    mixinStandardHelpOptions = true,
    description = {
      "Makes a keys table again from the rows of its target: when keys were lost or rolled back, or to"
          + " have those again that keys.retention has dropped.",
      "The daemon may be at work meanwhile; a batch that it has begun it does again. Until the one"
          + " commit at the end nothing changes. Rows that were deleted from the target have no key"
          + " afterwards: they land again when they are replayed."
    },
    footer = {
      "",
      "Examples:",
      "  onceberg keys rebuild --config onceberg.properties --table orders",
      "",
      "Exit status: 0 done; 1 done, and some rows share an identity; else see onceberg --help."
    })
final class KeysRebuildCommand implements Callable<Integer> {
  private static final double MIB = 1 << 20;
  private static final int ROWS_SHARE_IDENTITIES = 1;

  @Option(
      names = "--config",
      required = true,
      paramLabel = "FILE",
      description = "The settings of the daemon: they say what an identity is made of.")
  private Path config = Path.of("");

  @Option(
      names = "--table",
      required = true,
      paramLabel = "TABLE",
      description = "The target, such as orders or shop.orders.")
  private String table = "";

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() {
    Map<String, String> settings = ConfigFile.read(config);
    TargetDefinition target = DaemonConfig.definitionOf(settings, table);
    CatalogSettings catalog = DaemonConfig.catalogOf(settings);
    int today =
        (int) LocalDate.ofInstant(InstantSource.system().instant(), ZoneOffset.UTC).toEpochDay();
    Warehouse.look(catalog);
    try (Warehouse warehouse = Warehouse.open(catalog)) {
      KeysTable keys = warehouse.keys(target.table());
      ProgressLines progress = new ProgressLines(spec.commandLine().getErr());
      KeyRebuilt rebuilt =
          keys.rebuild(
              tables -> new StoredIdentity(tables, target.dedup()),
              today,
              progress.of(keys.name()));
      return print(keys, rebuilt);
    }
  }

  private int print(KeysTable keys, KeyRebuilt rebuilt) {
    PrintWriter out = spec.commandLine().getOut();
    out.printf(
        "%s: %,d keys in %,d files, %.2f MiB; before: %,d keys in %,d files%n",
        keys.name(),
        rebuilt.keys(),
        rebuilt.files(),
        rebuilt.bytes() / MIB,
        rebuilt.keysBefore(),
        rebuilt.filesBefore());
    if (rebuilt.droppedBefore() != null) {
      out.printf(
          "%s: rows loaded before %s have no keys by keys.retention; events that may be among them are looked for in the rows%n",
          keys.name(), rebuilt.droppedBefore());
    }
    if (rebuilt.foreignRows() > 0) {
      out.printf(
          "%s: %,d rows were made by other writers (_cdc.op is null) and have no identity%n",
          keys.name(), rebuilt.foreignRows());
    }
    if (rebuilt.repeated() > 0) {
      out.printf(
          "%s: %,d rows have the identity of another row: as the settings are now they landed more than once%n",
          keys.name(), rebuilt.repeated());
      rebuilt
          .examples()
          .forEach(
              row ->
                  out.printf(
                      "  for example the row loaded on %s from partition %d, offset %d%n",
                      row.loadedDate(), row.partition(), row.offset()));
    }
    out.flush();
    return rebuilt.repeated() > 0 ? ROWS_SHARE_IDENTITIES : 0;
  }
}
