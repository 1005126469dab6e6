package io.onceberg.it.stack;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * How to run PostgreSQL, which refuses to run as root. As root it runs in a user namespace of its
 * own, where it is nobody to itself and still owns its files; where namespaces are forbidden, as
 * user nobody.
 */
final class Unprivileged {
  private static final List<String> AS_NOBODY =
      List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups");
  private static final List<String> IN_NAMESPACE = List.of("unshare", "-U");

  private final List<String> prefix;

  private Unprivileged(List<String> prefix) {
    this.prefix = prefix;
  }

  static Unprivileged find() {
    if (!"root".equals(System.getProperty("user.name"))) {
      return new Unprivileged(List.of());
    }
    for (List<String> prefix : List.of(IN_NAMESPACE, AS_NOBODY)) {
      if (succeeds(prefix, "id", "-u")) {
        return new Unprivileged(prefix);
      }
    }
    throw new StackException(
        "PostgreSQL does not run as root, and neither unshare nor setpriv work here;"
            + " start as another user");
  }

  List<String> command(List<String> program) {
    List<String> command = new ArrayList<>(prefix);
    command.addAll(program);
    return command;
  }

  /** Hands a directory over to the user that the programs will run as. */
  void handOver(Path directory) {
    if (prefix.equals(AS_NOBODY)
        && !succeeds(List.of(), "chown", "-R", "65534:65534", directory.toString())) {
      throw new StackException("cannot hand " + directory + " over to user nobody");
    }
  }

  private static boolean succeeds(List<String> prefix, String... program) {
    List<String> command = new ArrayList<>(prefix);
    command.addAll(List.of(program));
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      return process.waitFor() == 0;
    } catch (IOException e) {
      return false; // the program is not installed
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StackException("interrupted while starting " + command, e);
    }
  }
}
