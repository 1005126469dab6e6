package io.onceberg.ingest.cli;

import io.onceberg.ingest.config.ConfigDocs;
import io.onceberg.ingest.config.DaemonConfig;
import io.onceberg.ingest.config.TargetDefinition;
import io.onceberg.ingest.source.ClientSettings;
import java.io.PrintWriter;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code onceberg config}: what settings there are, and whether a file is right. */
@Command(
    name = "config",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    description = "Checks a file of settings, or prints what settings there are.",
    footer = {"", "Example:", "  onceberg config check onceberg.properties"})
final class ConfigCommand {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Command(
      mixinStandardHelpOptions = true,
      description = "Checks a file without connecting to anything.")
  int check(@Parameters(paramLabel = "FILE") Path file) {
    DaemonConfig config = DaemonConfig.load(file);
    ClientSettings.check(config.kafka().properties(), config.kafka().bootstrapServers());
    PrintWriter out = spec.commandLine().getOut();
    out.printf("%s is right, as far as can be told without connecting%n", file);
    out.printf("kafka    %s%n", config.kafka().bootstrapServers());
    out.printf("topics   %s%n", config.topics());
    out.printf("catalog  %s%n", config.catalog());
    for (TargetDefinition target : config.listedTargets()) {
      out.printf("target   %s%n", target.table());
    }
    return 0;
  }

  @Command(
      mixinStandardHelpOptions = true,
      description = "Prints every setting with its default and meaning, as Markdown.")
  int docs() {
    spec.commandLine().getOut().print(ConfigDocs.markdown());
    spec.commandLine().getOut().flush();
    return 0;
  }
}
