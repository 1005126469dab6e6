package io.onceberg.ingest.cli;

/** The main class of the program. */
public final class Main {
  private Main() {}

  public static void main(String[] arguments) {
    // Spark leaves threads behind, so the program is ended and does not just return
    System.exit(Onceberg.commandLine().execute(arguments));
  }
}
