package io.onceberg.ingest.cli;

import picocli.CommandLine.Command;

/** {@code onceberg keys}: looks at keys tables and tidies them up. */
@Command(
    name = "keys",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    description = {
      "Looks at the keys tables, by which events are known that have landed.",
      "The daemon may be at work meanwhile. docs/keys.md says when each command is of use."
    },
    subcommands = {KeysStatsCommand.class, KeysCompactCommand.class},
    footer = {
      "",
      "Examples:",
      "  onceberg keys stats --config onceberg.properties",
      "  onceberg keys compact --config onceberg.properties"
    })
final class KeysCommand {}
