package io.onceberg.it.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.onceberg.error.ErrorCode;
import io.onceberg.it.matrix.Area;
import io.onceberg.it.matrix.Fault;
import io.onceberg.it.platform.Tables;
import io.onceberg.it.stack.OwnedProcess;
import io.onceberg.it.stack.SharedStack;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.iceberg.Schema;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.SupportsNamespaces;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a user meets who got something wrong: a numbered error that names the place and the next
 * step, an exit status that is not 0, and no stack trace.
 */
class BadInputTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final Pattern STACK_TRACE =
      Pattern.compile("^\\s+at [\\w.$/]+\\(", Pattern.MULTILINE);

  @TempDir private Path home;
  private Shop shop;
  private Map<String, String> settings;

  @BeforeEach
  void open() {
    shop = new Shop(SharedStack.kafka());
    settings = shop.settings(Shop.jdbc(home.resolve("warehouse")));
    settings.put("topics", shop.topic(Shop.ORDERS));
    settings.put("start.wait.ms", "500");
  }

  @AfterEach
  void close() {
    shop.close();
  }

  private void assertRefused(ErrorCode code, String... said) {
    OwnedProcess daemon = DaemonProcess.start(home, settings);
    assertThat(daemon.awaitEnd(LONG)).as(daemon::tail).isTrue();
    assertThat(daemon.exitStatus()).as(daemon::tail).hasValue(10 + code.number() / 100);
    assertThat(daemon.output())
        .contains("error %s %s: ".formatted(code.label(), code))
        .contains("docs/runbook.md, section " + code.label())
        .contains(said)
        .doesNotContainPattern(STACK_TRACE);
  }

  @Fault(
      area = Area.INPUT,
      what = "a bootstrap server that nobody knows",
      outcome = "OB-201 names it")
  @Test
  void brokerWhoseNameNobodyKnows() {
    settings.put("kafka.bootstrap.servers", "nowhere.invalid:9092");
    settings.put("start.wait.ms", "1000");
    assertRefused(ErrorCode.KAFKA_UNREACHABLE, "nowhere.invalid", "bootstrap.servers");
  }

  @Fault(
      area = Area.STORAGE,
      what = "the warehouse is no directory",
      outcome = "OB-502 names it, the daemon stops")
  @Test
  void warehouseWhereNothingCanBeMade() throws IOException {
    Path file = Files.createFile(home.resolve("file"));
    Shop.jdbc(file.resolve("warehouse"))
        .forEach((name, value) -> settings.put("catalog." + name, value));
    assertRefused(ErrorCode.CATALOG_REFUSED, file.toString());
  }

  @Fault(
      area = Area.STORAGE,
      what = "files cannot be made in the warehouse at the start",
      outcome = "OB-508 names the file")
  @Test
  void filesThatCannotBeWritten() throws IOException {
    Path file = Files.createFile(home.resolve("file"));
    Files.createDirectories(home.resolve("warehouse"));
    settings.put("catalog.warehouse", file.resolve("warehouse").toString());
    shop.sell(Shop.ORDERS, 1);
    assertRefused(ErrorCode.STORAGE_UNREACHABLE, file.toString());
  }

  @Fault(
      area = Area.INPUT,
      what = "a catalog database without a driver",
      outcome = "OB-502 names it")
  @Test
  void databaseWithoutDriver() {
    settings.put("catalog.uri", "jdbc:nothing:here");
    assertRefused(ErrorCode.CATALOG_REFUSED, "jdbc:nothing:here");
  }

  @Fault(
      area = Area.INPUT,
      what = "a catalog database at a wrong port",
      outcome = "OB-501 names it")
  @Test
  void databaseThatDoesNotAnswer() {
    settings.put("catalog.uri", "jdbc:postgresql://127.0.0.1:1/lake");
    assertRefused(ErrorCode.CATALOG_UNREACHABLE, "127.0.0.1:1");
  }

  @Fault(
      area = Area.INPUT,
      what = "a target whose table someone else made",
      outcome = "OB-401 names it")
  @Test
  void tableThatSomeoneElseMade() throws IOException {
    Files.createDirectories(home.resolve("warehouse"));
    try (Tables tables = new Tables(Shop.jdbc(home.resolve("warehouse")))) {
      ((SupportsNamespaces) tables.catalog()).createNamespace(Namespace.of(Tables.NAMESPACE));
      tables
          .catalog()
          .createTable(
              Tables.name(Shop.ORDERS),
              new Schema(Types.NestedField.optional(1, "id", Types.LongType.get())));
      shop.sell(Shop.ORDERS, 1);
      assertRefused(ErrorCode.FOREIGN_TABLE, "shop.orders");
      assertThat(tables.load(Shop.ORDERS).currentSnapshot()).isNull();
    }
  }
}
