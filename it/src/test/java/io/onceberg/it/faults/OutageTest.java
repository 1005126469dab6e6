package io.onceberg.it.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.onceberg.it.matrix.Area;
import io.onceberg.it.matrix.Case;
import io.onceberg.it.matrix.Fault;
import io.onceberg.it.platform.Tables;
import io.onceberg.it.registry.TestRegistry;
import io.onceberg.it.stack.LocalPostgres;
import io.onceberg.it.stack.OwnedProcess;
import io.onceberg.it.stack.SharedStack;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The real daemon in a process of its own: its end under load, and parts that go away. */
class OutageTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final Duration PROMISED_END = Duration.ofSeconds(10);

  @TempDir private Path home;

  private static void awaitCaughtUp(Shop shop, Tables tables, OwnedProcess daemon) {
    Checks.awaitCaughtUp(
        shop,
        tables,
        () -> assertThat(daemon.alive()).as(daemon::tail).isTrue(),
        Shop.ORDERS,
        Shop.PAYMENTS);
  }

  private static void assertEndsWell(OwnedProcess daemon) {
    assertThat(daemon.terminate(PROMISED_END)).as(daemon::tail).isTrue();
    assertThat(daemon.exitStatus()).as(daemon::tail).hasValue(0);
  }

  private static void assertWhole(Shop shop, Tables tables) {
    Checks.assertWhole(shop, tables, Shop.ORDERS);
    Checks.assertWhole(shop, tables, Shop.PAYMENTS);
  }

  /** Asked to end in the midst of work it leaves no half batch, and the next start goes on. */
  @Fault(
      area = Area.KILL,
      what = "the daemon is asked to end (SIGTERM) under load",
      outcome = "it ends within 10 s with status 0 after a whole batch; the next start goes on")
  @Test
  void endsInGoodOrderUnderLoad() {
    Map<String, String> catalog = Shop.jdbc(home.resolve("warehouse"));
    try (Shop shop = new Shop(SharedStack.kafka())) {
      shop.sell(6_000);
      Map<String, String> settings = shop.settings(catalog);
      settings.put("batch.max.rows", "300");
      OwnedProcess daemon = DaemonProcess.start(home, settings);
      daemon.awaitOutput("batch target=shop.orders", LONG);
      await("a coordinator").atMost(LONG).until(() -> !shop.groupOffsets().isEmpty());
      assertEndsWell(daemon);
      try (Tables tables = new Tables(catalog)) {
        assertThat(tables.offsets(Shop.ORDERS)).isNotEqualTo(shop.ends(Shop.ORDERS));
        Map<String, Long> both = new TreeMap<>();
        for (String target : new String[] {Shop.ORDERS, Shop.PAYMENTS}) {
          assertThat(tables.keys(target))
              .containsExactlyInAnyOrderElementsOf(tables.rows(target))
              .doesNotHaveDuplicates();
          assertThat(tables.offsets(target + "_keys")).isEqualTo(tables.offsets(target));
          both.putAll(tables.offsets(target));
        }
        assertThat(shop.groupOffsets()).as("shown to lag monitors").isEqualTo(both);
        settings.put("batch.max.rows", "100000");
        try (LocalDaemon again = new LocalDaemon(settings)) {
          Checks.awaitCaughtUp(shop, tables, again::check, Shop.ORDERS, Shop.PAYMENTS);
          assertWhole(shop, tables);
        }
      }
    }
  }

  /** The catalog goes and comes back; the daemon waits, says so once, and goes on by itself. */
  @Fault(
      area = Area.OUT_OF_REACH,
      what = "the catalog database is killed under load, and comes back",
      outcome = "OB-501 once; the daemon goes on by itself; nothing lost, nothing twice",
      cases = Case.A3)
  @Test
  void outlivesItsCatalog() {
    try (LocalPostgres postgres = LocalPostgres.start();
        Shop shop = new Shop(SharedStack.kafka())) {
      postgres.createDatabase("lake");
      Map<String, String> catalog = catalogOn(postgres);
      shop.sell(20);
      OwnedProcess daemon = DaemonProcess.start(home, shop.settings(catalog));
      daemon.awaitOutput("batch target=shop.orders", LONG);
      postgres.kill();
      shop.sell(20);
      daemon.awaitOutput("trying again until it works", LONG);
      postgres.restart();
      daemon.awaitOutput("back to work", LONG);
      try (Tables tables = new Tables(catalog)) {
        awaitCaughtUp(shop, tables, daemon);
        assertWhole(shop, tables);
        assertEndsWell(daemon);
        assertWhole(shop, tables);
        Map<String, Long> both = new TreeMap<>(shop.ends(Shop.ORDERS));
        both.putAll(shop.ends(Shop.PAYMENTS));
        assertThat(shop.groupOffsets()).as("shown to lag monitors").isEqualTo(both);
      }
      assertThat(daemon.output()).doesNotContain("ERROR", "\tat ");
      assertThat(said(daemon, "trying again until it works")).isEqualTo(1);
    }
  }

  /** Before the first batch there is nothing to lose, and it can be told to end as at any time. */
  @Fault(
      area = Area.OUT_OF_REACH,
      what = "the catalog is not up when the daemon starts",
      outcome = "OB-501 once; it waits, can be ended, and goes on when the catalog comes")
  @Test
  void waitsForACatalogThatIsNotUpYet() {
    try (LocalPostgres postgres = LocalPostgres.start();
        Shop shop = new Shop(SharedStack.kafka())) {
      postgres.createDatabase("lake");
      postgres.kill();
      Map<String, String> catalog = catalogOn(postgres);
      shop.sell(20);
      OwnedProcess daemon = DaemonProcess.start(home, shop.settings(catalog));
      daemon.awaitOutput("trying again until it works", LONG);
      assertEndsWell(daemon);
      assertThat(daemon.output()).contains("state STOPPING -> STOPPED");
      daemon = DaemonProcess.start(home, shop.settings(catalog));
      daemon.awaitOutput("trying again until it works", LONG);
      postgres.restart();
      daemon.awaitOutput("back to work", LONG);
      try (Tables tables = new Tables(catalog)) {
        awaitCaughtUp(shop, tables, daemon);
        assertWhole(shop, tables);
      }
      assertEndsWell(daemon);
      assertThat(said(daemon, "trying again until it works")).isEqualTo(1);
    }
  }

  /** A daemon that has caught up with a shop, whose events' schemas lie in a registry. */
  private record RegistryCase(
      TestRegistry registry,
      AvroEvents events,
      Shop shop,
      Map<String, String> settings,
      OwnedProcess daemon,
      Tables tables) {}

  private void withRegistry(Consumer<RegistryCase> test) {
    Map<String, String> catalog = Shop.jdbc(home.resolve("warehouse"));
    try (TestRegistry registry = TestRegistry.start()) {
      AvroEvents events = new AvroEvents(registry);
      try (Shop shop = new Shop(SharedStack.kafka(), events)) {
        shop.sell(20);
        Map<String, String> settings = shop.settings(catalog);
        OwnedProcess daemon = DaemonProcess.start(home, settings);
        daemon.awaitOutput("batch target=shop.payments", LONG);
        try (Tables tables = new Tables(catalog)) {
          awaitCaughtUp(shop, tables, daemon);
          test.accept(new RegistryCase(registry, events, shop, settings, daemon, tables));
        }
      }
    }
  }

  /** Case C8: schemas that cannot be asked for are waited for; no record is given up for them. */
  @Fault(
      area = Area.OUT_OF_REACH,
      what = "the schema registry goes and comes back",
      outcome = "OB-310 once; no offset moves, no record is given up")
  @Test
  void outlivesItsSchemaRegistry() {
    withRegistry(
        now -> {
          Map<String, Long> before = now.tables.offsets(Shop.ORDERS);
          now.registry.down();
          now.events.alter();
          now.shop.sell(20);
          now.shop.garble();
          now.daemon.awaitOutput("trying again until it works", LONG);
          assertThat(now.tables.offsets(Shop.ORDERS)).isEqualTo(before);
          now.registry.up();
          now.daemon.awaitOutput("back to work", LONG);
          awaitCaughtUp(now.shop, now.tables, now.daemon);
          assertWhole(now.shop, now.tables);
          assertThat(now.tables.load(Shop.ORDERS).schema().findField("city")).isNotNull();
          assertEndsWell(now.daemon);
          assertThat(now.daemon.output()).contains("OB-310").doesNotContain("ERROR", "\tat ");
          assertThat(said(now.daemon, "trying again until it works")).isEqualTo(1);
        });
  }

  /** A batch that cannot end in time is given up whole, and read again by the next start. */
  @Fault(
      area = Area.KILL,
      what = "the daemon is asked to end while a task hangs",
      outcome = "the batch is given up whole, and read again by the next start")
  @Test
  void givesUpABatchThatTakesTooLongToEnd() {
    withRegistry(
        now -> {
          Map<String, Long> before = now.tables.offsets(Shop.ORDERS);
          int asked = now.registry.requests();
          now.registry.hang(true);
          now.events.alter();
          now.shop.sell(20);
          await("a task that hangs").atMost(LONG).until(() -> now.registry.requests() > asked);
          assertEndsWell(now.daemon);
          assertThat(now.daemon.output())
              .contains("it is cancelled", "state STOPPING -> STOPPED")
              .doesNotContain("ERROR", "error OB-", "\tat ");
          now.registry.hang(false);
          assertThat(now.tables.offsets(Shop.ORDERS)).isEqualTo(before);
          try (LocalDaemon again = new LocalDaemon(now.settings)) {
            Checks.awaitCaughtUp(now.shop, now.tables, again::check, Shop.ORDERS, Shop.PAYMENTS);
            assertWhole(now.shop, now.tables);
          }
        });
  }

  private Map<String, String> catalogOn(LocalPostgres postgres) {
    return Map.of(
        "type", "jdbc",
        "uri", postgres.jdbcUrl("lake"),
        "jdbc.user", postgres.user(),
        "jdbc.password", postgres.password(),
        "jdbc.schema-version", "V1",
        "warehouse", home.resolve("warehouse").toString());
  }

  private static long said(OwnedProcess daemon, String text) {
    return Pattern.compile(Pattern.quote(text)).matcher(daemon.output()).results().count();
  }
}
