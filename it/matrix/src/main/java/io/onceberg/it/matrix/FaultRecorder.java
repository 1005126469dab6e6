package io.onceberg.it.matrix;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestWatcher;
import org.junit.jupiter.params.ParameterizedTest;

/**
 * Writes the result of each test that is marked with {@link Fault} to a file of its own under
 * {@code target/faults}, where a later run of the same test replaces it.
 */
final class FaultRecorder implements TestWatcher {
  static final String STACK = "onceberg.stack";
  private static final String PROCESSES = "processes";

  private final Path directory;

  /** For JUnit: into the module whose tests run. */
  FaultRecorder() {
    this(Path.of("target", "faults"));
  }

  FaultRecorder(Path directory) {
    this.directory = directory;
  }

  @Override
  public void testSuccessful(ExtensionContext context) {
    write(context, true);
  }

  @Override
  public void testFailed(ExtensionContext context, @Nullable Throwable cause) {
    write(context, false);
  }

  @Override
  public void testAborted(ExtensionContext context, @Nullable Throwable cause) {
    write(context, false); // what was not shown to hold does not count as held
  }

  private void write(ExtensionContext context, boolean passed) {
    Method method = context.getRequiredTestMethod();
    Fault fault = method.getAnnotation(Fault.class);
    if (fault == null) {
      return;
    }
    boolean many = method.isAnnotationPresent(ParameterizedTest.class);
    String arguments = many ? context.getDisplayName() : "";
    String test = context.getRequiredTestClass().getSimpleName() + "." + method.getName();
    Cell cell =
        new Cell(
            fault.area(),
            many ? fault.what() + ": " + arguments : fault.what(),
            fault.outcome(),
            List.of(fault.cases()),
            many ? test + " (" + arguments + ")" : test,
            System.getProperty(STACK, PROCESSES),
            passed);
    write(cell);
  }

  void write(Cell cell) {
    String name = cell.stack() + "-" + cell.test().replaceAll("[^A-Za-z0-9._-]+", "_");
    try {
      Files.createDirectories(directory);
      Files.writeString(directory.resolve(name), cell.toLine());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
