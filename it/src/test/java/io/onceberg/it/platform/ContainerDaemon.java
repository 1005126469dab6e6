package io.onceberg.it.platform;

import io.onceberg.it.stack.Deadline;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.OptionalInt;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;

/** A daemon in a container of its image. */
final class ContainerDaemon implements RunningDaemon {
  private final GenericContainer<?> container;

  ContainerDaemon(GenericContainer<?> container) {
    this.container = container;
  }

  @Override
  public boolean alive() {
    return ContainerStack.runs(container);
  }

  @Override
  public OptionalInt exitStatus() {
    if (alive()) {
      return OptionalInt.empty();
    }
    Long status =
        DockerClientFactory.lazyClient()
            .inspectContainerCmd(container.getContainerId())
            .exec()
            .getState()
            .getExitCodeLong();
    return status == null ? OptionalInt.empty() : OptionalInt.of(Math.toIntExact(status));
  }

  @Override
  public String output() {
    return container.getLogs();
  }

  @Override
  public void kill() {
    ContainerStack.kill(container);
  }

  @Override
  public boolean stop(Duration grace) {
    DockerClientFactory.lazyClient()
        .killContainerCmd(container.getContainerId())
        .withSignal("TERM")
        .exec();
    return Deadline.in(grace).await(() -> !alive());
  }

  /** What a program writes that runs beside the daemon, as the same user. */
  String run(String... program) {
    try {
      return container.execInContainer(program).getStdout();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new PlatformException("interrupted", e);
    }
  }

  @Override
  public void close() {
    container.stop();
  }
}
