package io.onceberg.ingest.cli;

import io.onceberg.keystore.KeyCompacted;
import io.onceberg.keystore.KeysTable;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code onceberg keys compact}: few key files for each day. */
@Command(
    name = "compact",
    mixinStandardHelpOptions = true,
    description = {
      "Merges the key files of each day, today's too, into as few sorted ones as their keys need.",
      "The daemon may be at work meanwhile. May be ended at any time; what is merged stays so. The"
          + " old files go when snapshots are expired."
    },
    footer = {
      "",
      "Examples:",
      "  onceberg keys compact --config onceberg.properties",
      "  onceberg keys compact --config onceberg.properties --table orders"
    })
final class KeysCompactCommand implements Callable<Integer> {
  private static final double MIB = 1 << 20;

  @Mixin private KeyTables tables = new KeyTables();
  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() {
    ProgressLines progress = new ProgressLines(spec.commandLine().getErr());
    tables.forEach(keys -> compact(keys, progress));
    return 0;
  }

  private void compact(KeysTable keys, ProgressLines progress) {
    PrintWriter out = spec.commandLine().getOut();
    KeyCompacted all =
        keys.compact(
            progress.of(keys.name()),
            merged -> {
              out.printf(
                  "%s: %s, %,d files to %,d, %,d keys%n",
                  keys.name(), merged.day(), merged.files(), merged.into(), merged.keys());
              out.flush();
            });
    out.printf(
        "%s: %,d files to %,d, %.2f MiB to %.2f MiB%n",
        keys.name(),
        all.filesBefore(),
        all.filesAfter(),
        all.bytesBefore() / MIB,
        all.bytesAfter() / MIB);
    if (all.left() > 0) {
      out.printf(
          "%s: %,d files are left: the daemon merges them itself, or they lie in no day's partition%n",
          keys.name(), all.left());
    }
    out.flush();
  }
}
