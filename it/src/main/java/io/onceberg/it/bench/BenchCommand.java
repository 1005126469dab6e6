package io.onceberg.it.bench;

import picocli.CommandLine.Command;

/** {@code onceberg bench}: measures this machine, our daemon and its peers on it. */
@Command(
    name = "bench",
    description = "Measures the daemon and its peers on this machine.",
    mixinStandardHelpOptions = true,
    subcommands = {IngestBenchCommand.class, TablesBenchCommand.class})
public final class BenchCommand {}
