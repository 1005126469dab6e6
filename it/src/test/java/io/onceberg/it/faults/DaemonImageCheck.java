package io.onceberg.it.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.onceberg.it.platform.Tables;
import io.onceberg.it.stack.OwnedProcess;
import io.onceberg.it.stack.SharedStack;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The daemon's image on a real Docker Engine and a real broker. Not one of the tests of {@code mvn
 * verify}: it needs an engine, and the image's name in the system property {@code onceberg.image};
 * docker/ci/daemon-image runs it.
 */
class DaemonImageCheck {
  private static final Duration LONG = Duration.ofMinutes(2);
  private static final String IMAGE = Objects.requireNonNull(System.getProperty("onceberg.image"));
  private static final String CONTAINER = "onceberg-image-check";

  @TempDir private Path home;

  /** The container's user is not the one who runs this. */
  @BeforeEach
  void open() throws IOException {
    Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwxrwxrwx"));
  }

  @AfterEach
  void remove() {
    docker("rm", "-f", CONTAINER);
  }

  @Test
  void explainsItselfWithoutNetworkOrRights() throws IOException {
    assertThat(once("--help").output()).contains("Usage: onceberg");
    assertThat(once("run").exitStatus()).hasValue(2);
    assertThat(docker("run", "--rm", "--network=none", "--entrypoint=id", IMAGE).output())
        .contains("uid=10001(onceberg) gid=10001(onceberg)");
    Path file = home.resolve("onceberg.properties");
    Files.writeString(file, "kafka.bootstrap.servers=broker:9092\ntopics=shop.public.orders\n");
    assertThat(once("config", "check", file.toString()).output())
        .contains(file + " is right", "cdc.orders");
    Files.writeString(file, "kafka.bootstrap.server=broker:9092\n");
    assertThat(once("config", "check", file.toString()).exitStatus()).hasValue(11);
  }

  @Test
  void ingestsIntoAMountedWarehouseAndEndsInOrder() throws IOException {
    Map<String, String> catalog = Shop.jdbc(home.resolve("warehouse"));
    try (Shop shop = new Shop(SharedStack.kafka())) {
      shop.sell(300);
      shop.garble();
      Path file = home.resolve("onceberg.properties");
      Files.write(
          file,
          shop.settings(catalog).entrySet().stream()
              .map(setting -> setting.getKey() + "=" + setting.getValue())
              .toList());
      try (OwnedProcess daemon = inBackground("run", "--config", file.toString())) {
        daemon.awaitOutput("batch target=shop.orders", LONG);
        assertThat(docker("exec", CONTAINER, "cat", "/proc/1/cmdline").output()).startsWith("java");
        try (Tables tables = new Tables(catalog)) {
          awaitWhole(shop, tables, daemon);
          shop.replay();
          shop.sell(30);
          awaitWhole(shop, tables, daemon);
        }
        docker("stop", CONTAINER);
        assertThat(daemon.awaitEnd(LONG)).isTrue();
        assertThat(daemon.output()).contains("state STOPPING -> STOPPED").doesNotContain("WARN");
        assertThat(daemon.exitStatus()).hasValue(0);
      }
    }
  }

  private static void awaitWhole(Shop shop, Tables tables, OwnedProcess daemon) {
    String[] targets = {Shop.ORDERS, Shop.PAYMENTS};
    Checks.awaitCaughtUp(
        shop, tables, () -> assertThat(daemon.alive()).as(daemon::tail).isTrue(), targets);
    Arrays.stream(targets).forEach(target -> Checks.assertWhole(shop, tables, target));
  }

  /** A command of the image's, in a container that cannot write and has no network. */
  private OwnedProcess once(String... arguments) {
    return awaited(container(List.of("--network=none", "--read-only"), arguments));
  }

  /** The daemon in one gigabyte, with nothing to write to but the mounted directory and /tmp. */
  private OwnedProcess inBackground(String... arguments) {
    return start(
        container(
            List.of("--network=host", "--memory=1g", "--read-only", "--tmpfs=/tmp:exec"),
            arguments));
  }

  private List<String> container(List<String> options, String... arguments) {
    List<String> command = new ArrayList<>(List.of("run", "--rm", "--name=" + CONTAINER));
    command.addAll(options);
    command.add("--volume=%s:%s".formatted(home, home));
    command.add(IMAGE);
    command.addAll(List.of(arguments));
    return command;
  }

  private OwnedProcess docker(String... arguments) {
    return awaited(List.of(arguments));
  }

  private OwnedProcess awaited(List<String> arguments) {
    OwnedProcess process = start(arguments);
    assertThat(process.awaitEnd(LONG)).as(process::tail).isTrue();
    return process;
  }

  private OwnedProcess start(List<String> arguments) {
    List<String> command = new ArrayList<>(List.of("docker"));
    command.addAll(arguments);
    return OwnedProcess.start("docker", command, Map.of(), home.resolve(arguments.get(0) + ".log"));
  }
}
