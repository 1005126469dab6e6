package io.onceberg.it.platform;

import io.onceberg.it.stack.OwnedProcess;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A service as a process that is started in the same way again and again. */
final class LocalService {
  private final Supplier<OwnedProcess> program;
  private @Nullable OwnedProcess process;

  LocalService(Supplier<OwnedProcess> program) {
    this.program = program;
  }

  void start() {
    process = program.get();
  }

  boolean alive() {
    return process != null && process.alive();
  }

  void kill() {
    if (process != null) {
      process.kill();
    }
  }

  Optional<OwnedProcess> process() {
    return Optional.ofNullable(process);
  }

  String tail() {
    return process == null ? "it was not started" : process.tail();
  }
}
