package io.onceberg.it.stack;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Java programs from this program's own class path, each in a process of its own. */
public final class ChildJvm {
  private static final List<String> INHERITED =
      List.of(
          "--add-opens",
          "--add-exports",
          "--add-modules",
          "--enable-native-access",
          "--sun-misc-unsafe-memory-access",
          "-XX:+IgnoreUnrecognizedVMOptions",
          "-Dio.netty.tryReflectionSetAccessible",
          "-Duser.timezone");

  private ChildJvm() {}

  /**
   * Starts a main class with the JVM flags of this program, except for its heap.
   *
   * @param options JVM options such as {@code -Xmx512m}
   */
  public static OwnedProcess start(
      String name, String mainClass, List<String> options, List<String> arguments, Path log) {
    return start(name, mainClass, options, arguments, Map.of(), log);
  }

  /** As above, with further environment variables; {@code CLASSPATH} replaces that of this JVM. */
  public static OwnedProcess start(
      String name,
      String mainClass,
      List<String> options,
      List<String> arguments,
      Map<String, String> variables,
      Path log) {
    Map<String, String> environment =
        new HashMap<>(Map.of("CLASSPATH", System.getProperty("java.class.path")));
    environment.putAll(variables);
    return OwnedProcess.start(
        name, command(mainClass, options, arguments), environment, log, "TERM");
  }

  /** The garbage collector that this program was told to use, as a JVM option; none by default. */
  public static List<String> collector() {
    return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(flag -> flag.startsWith("-XX:+Use") && flag.endsWith("GC"))
        .toList();
  }

  static List<String> command(String mainClass, List<String> options, List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(flag -> INHERITED.stream().anyMatch(flag::startsWith))
        .forEach(command::add);
    command.addAll(options);
    command.add(mainClass);
    command.addAll(arguments);
    return command;
  }
}
