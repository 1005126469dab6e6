package io.onceberg.ingest.cli;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import io.onceberg.ingest.capture.CaptureCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** The command {@code onceberg}. Other modules add their own commands to it. */
@Command(
    name = "onceberg",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    synopsisSubcommandLabel = "COMMAND",
    description = {"Debezium change events from Kafka into Apache Iceberg, each exactly once.", ""},
    subcommands = {
      RunCommand.class,
      CaptureCommand.class,
      SqlCommand.class,
      KeysCommand.class,
      ConfigCommand.class,
      CommandLine.HelpCommand.class
    },
    footer = {
      "",
      "Examples:",
      "  onceberg run --config onceberg.properties",
      "  onceberg sql --config onceberg.properties \"select count(*) from cdc.orders\"",
      "  onceberg config check onceberg.properties",
      "",
      "Exit status: 0 done; 2 wrong usage; 10 plus the error's first digit (OB-204: 12).",
      "Errors are explained by number in docs/runbook.md."
    })
public final class Onceberg {
  private static final int FIRST_ERROR_STATUS = 10;

  @Option(
      names = "--stacktrace",
      scope = ScopeType.INHERIT,
      description = "Print the stack trace of an error too.")
  private boolean stacktrace;

  private Onceberg() {}

  /** The whole command line, with further commands of the caller's. */
  public static CommandLine commandLine(Object... furtherCommands) {
    Onceberg onceberg = new Onceberg();
    CommandLine line = new CommandLine(onceberg);
    for (Object command : furtherCommands) {
      line.addSubcommand(command);
    }
    return line.setExecutionExceptionHandler(onceberg.handler());
  }

  /** The exit status that tells an error: 10 plus the first digit of its number. */
  public static int status(ErrorCode code) {
    return FIRST_ERROR_STATUS + code.number() / 100;
  }

  private IExecutionExceptionHandler handler() {
    return (exception, line, result) -> {
      OncebergException error =
          exception instanceof OncebergException numbered
              ? numbered
              : new OncebergException(ErrorCode.INTERNAL, String.valueOf(exception), exception);
      line.getErr().println("error " + error.getMessage());
      line.getErr().println("see docs/runbook.md, section " + error.code().label());
      if (stacktrace) {
        exception.printStackTrace(line.getErr());
      }
      return status(error.code());
    };
  }
}
