package io.onceberg.it.stack;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
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
    return start(name, mainClass, options, arguments, log, System.getProperty("java.class.path"));
  }

  /** The same with another class path, on which nothing of this program need be. */
  public static OwnedProcess start(
      String name,
      String mainClass,
      List<String> options,
      List<String> arguments,
      Path log,
      String classPath) {
    return OwnedProcess.start(
        name,
        command(mainClass, options, arguments),
        Map.of("CLASSPATH", classPath),
        log,
        "TERM");
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
