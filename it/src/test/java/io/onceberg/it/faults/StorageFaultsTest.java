package io.onceberg.it.faults;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.onceberg.it.matrix.Area;
import io.onceberg.it.matrix.Case;
import io.onceberg.it.matrix.Fault;
import io.onceberg.it.platform.Tables;
import io.onceberg.it.stack.SharedStack;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A warehouse on a disk of its own, which gets full and read-only under a daemon at work. Making
 * such a disk takes root; CI has it.
 */
class StorageFaultsTest {
  private static final Duration LONG = Duration.ofSeconds(60);

  @TempDir private static Path home = Path.of("");
  private static SmallDisk disk;
  private static Shop shop;
  private static Tables tables;
  private static LocalDaemon daemon;

  @BeforeAll
  static void start() throws IOException {
    assumeTrue(SmallDisk.isAllowed(), "a file system of its own takes root");
    disk = SmallDisk.mount(home.resolve("disk"));
    Map<String, String> catalog = new HashMap<>(Shop.jdbc(home));
    catalog.put("warehouse", disk.root().resolve("warehouse").toString());
    shop = new Shop(SharedStack.kafka());
    tables = new Tables(catalog);
    Map<String, String> settings = shop.settings(catalog);
    settings.put("health.limit.ms", "1");
    daemon = new LocalDaemon(settings);
    sellAndAwaitWhole();
  }

  private static void sellAndAwaitWhole() {
    shop.sell(200);
    awaitWhole();
  }

  private static void awaitWhole() {
    Checks.awaitCaughtUp(shop, tables, daemon::check, Shop.ORDERS, Shop.PAYMENTS);
    Checks.assertWhole(shop, tables, Shop.ORDERS);
    Checks.assertWhole(shop, tables, Shop.PAYMENTS);
  }

  private static boolean saysThatStorageFails() {
    daemon.check();
    return daemon.complaints().stream().anyMatch(c -> c.contains("OB-508"));
  }

  @Fault(
      area = Area.STORAGE,
      what =
          "the warehouse's disk is full, at once or after some of a batch's files, and gets room",
      outcome = "OB-508: unhealthy, waits; goes on by itself; nothing lost, nothing twice",
      cases = Case.A13)
  @Test
  void diskFull() throws IOException {
    disk.fill(0);
    shop.sell(200);
    await("OB-508").atMost(LONG).until(StorageFaultsTest::saysThatStorageFails);
    disk.free();
    awaitWhole();
    await("healthy").atMost(LONG).until(() -> daemon.complaints().isEmpty());
    for (int kilobytes = 8; kilobytes <= 128; kilobytes *= 2) {
      disk.fill(kilobytes * 1024L);
      shop.sell(200);
      await(kilobytes + " KiB are enough, or OB-508")
          .atMost(LONG)
          .until(() -> saysThatStorageFails() || isCaughtUp());
      disk.free();
      awaitWhole();
    }
  }

  private static boolean isCaughtUp() {
    return tables.offsets(Shop.ORDERS).equals(shop.ends(Shop.ORDERS))
        && tables.offsets(Shop.PAYMENTS).equals(shop.ends(Shop.PAYMENTS));
  }

  @Fault(
      area = Area.STORAGE,
      what = "the warehouse becomes read-only, and writable again",
      outcome = "OB-508: unhealthy, waits; goes on by itself; nothing lost, nothing twice",
      cases = Case.A13)
  @Test
  void readOnly() throws IOException {
    await("no file open").atMost(LONG).ignoreExceptions().until(() -> isMadeReadOnly());
    shop.sell(200);
    await("OB-508").atMost(LONG).until(StorageFaultsTest::saysThatStorageFails);
    disk.readOnly(false);
    awaitWhole();
    await("healthy").atMost(LONG).until(() -> daemon.complaints().isEmpty());
    shop.replay();
    awaitWhole();
  }

  private static boolean isMadeReadOnly() throws IOException {
    disk.readOnly(true);
    return true;
  }

  @AfterAll
  static void end() throws IOException {
    if (daemon != null) {
      daemon.close();
      tables.close();
      shop.close();
    }
    if (disk != null) {
      disk.close();
    }
  }
}
