package io.onceberg.keystore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.onceberg.it.matrix.Area;
import io.onceberg.it.matrix.Fault;
import io.onceberg.keystore.CommitOutcome.Committed;
import io.onceberg.keystore.CommitOutcome.Fenced;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.Table;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Iceberg's own REST server, of another version, in a process of its own. It advertises
 * transactions/commit and applies the tables one by one, so it shows the protocol, not atomicity.
 */
class RestFixtureTest {
  private static final Path CLASS_PATH =
      Path.of("..", "it", "peers", "rest-fixture", "target", "class-path.txt");

  @TempDir static Path directory;
  private static Process server;
  private static int port;

  @BeforeAll
  static void start() throws Exception {
    assertThat(CLASS_PATH)
        .as("made by: mvn -pl it/peers/rest-fixture generate-resources (mvn verify does it)")
        .exists();
    try (ServerSocket socket = new ServerSocket(0)) {
      port = socket.getLocalPort();
    }
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx256m",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            Files.readString(CLASS_PATH),
            "org.apache.iceberg.rest.RESTCatalogServer");
    builder.environment().put("CATALOG_REST_PORT", String.valueOf(port));
    builder.environment().put("CATALOG_WAREHOUSE", directory.resolve("warehouse").toString());
    builder.redirectErrorStream(true).redirectOutput(directory.resolve("server.log").toFile());
    server = builder.start();
    await().atMost(Duration.ofSeconds(90)).until(() -> !server.isAlive() || answers());
    assertThat(server.isAlive()).as("see %s", directory.resolve("server.log")).isTrue();
  }

  private static boolean answers() {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  @AfterAll
  static void stop() throws Exception {
    server.destroyForcibly().waitFor();
  }

  private static Lake lake(Map<String, String> more) {
    Map<String, String> properties = new HashMap<>(more);
    properties.put("type", "rest");
    properties.put("uri", "http://127.0.0.1:" + port);
    properties.put("rest-metrics-reporting-enabled", "false");
    return Lake.open(Lake.settings(properties));
  }

  @AfterEach
  void drop() throws Exception {
    try (Lake lake = lake(Map.of())) {
      for (var name : List.of(Lake.ORDERS.rows(), Lake.ORDERS.keys(), Lake.ORDERS.quarantine())) {
        lake.opened.catalog().dropTable(name, false);
      }
    }
  }

  @Fault(
      area = Area.COMMIT,
      what = "Iceberg's REST fixture: advertises transactions/commit and moves tables one by one",
      outcome =
          "works, but a crash of that server can leave half a commit: declare it not atomic (docs/configuration.md)")
  @Test
  void takesTheWholeCommitInOneRequest() throws Exception {
    try (Lake lake = lake(Map.of()).create()) {
      assertThat(lake.opened.means()).isInstanceOf(RestMeans.class);
      assertThat(lake.next(1)).isInstanceOf(Committed.class);
      Standing base = lake.standing();
      assertThat(lake.next(2)).isInstanceOf(Committed.class);
      assertThat(lake.next(base, 3, 4).outcome()).isInstanceOf(Fenced.class);
      assertThat(lake.standing().ledger().progress(Lake.P0))
          .contains(new SourceProgress("topic-id", 2));
      assertThat(Lake.ids(lake.rows())).containsExactly(1L, 2L);
      assertThat(Lake.ids(lake.keys())).containsExactly(1L, 2L);
    }
  }

  @Fault(
      area = Area.COMMIT,
      what = "Iceberg's REST fixture, declared not atomic; someone else adds keys",
      outcome = "roll-forward; fenced, then committed")
  @Test
  void rollsForwardWhenItIsDeclaredNotAtomic() throws Exception {
    try (Lake lake = lake(Map.of(OpenedCatalog.MULTI_TABLE_COMMIT, "none")).create()) {
      assertThat(lake.opened.means().atomic()).isFalse();
      assertThat(lake.next(1)).isInstanceOf(Committed.class);
      Standing base = lake.standing();
      Table keys = lake.keys();
      keys.newFastAppend().appendFile(Lake.file(keys, 9)).commit();
      assertThat(lake.next(base, 2).outcome()).isInstanceOf(Fenced.class);
      assertThat(lake.next(2)).isInstanceOf(Committed.class);
      assertThat(Lake.ids(lake.rows())).containsExactly(1L, 2L);
      assertThat(Lake.ids(lake.keys())).containsExactly(1L, 2L, 9L);
    }
  }
}
