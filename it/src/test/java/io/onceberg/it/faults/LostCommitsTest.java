package io.onceberg.it.faults;

import io.onceberg.it.catalog.RestCatalogServer;
import io.onceberg.it.matrix.Area;
import io.onceberg.it.matrix.Case;
import io.onceberg.it.matrix.Fault;
import io.onceberg.it.platform.Tables;
import io.onceberg.it.stack.SharedStack;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A commit of the daemon on its way to a REST catalog, and the answer on its way back. */
class LostCommitsTest {
  private static final Duration LONG = Duration.ofSeconds(60);

  @TempDir private static Path home = Path.of("");
  private static RestCatalogServer server;
  private static Shop shop;
  private static Tables tables;
  private static LocalDaemon daemon;

  /** What becomes of a commit. The client waits a second for an answer. */
  enum Loss {
    REQUEST_LOST {
      @Override
      void deliver(Runnable commit) throws IOException {
        throw new IOException("the connection is cut");
      }
    },
    RESPONSE_LOST {
      @Override
      void deliver(Runnable commit) throws IOException {
        commit.run();
        throw new IOException("the connection is cut");
      }
    },
    ERROR_500_BEFORE {
      @Override
      void deliver(Runnable commit) {
        throw new IllegalStateException("on purpose");
      }
    },
    ERROR_500_AFTER {
      @Override
      void deliver(Runnable commit) {
        commit.run();
        throw new IllegalStateException("on purpose");
      }
    },
    TIMEOUT_AFTER {
      @Override
      void deliver(Runnable commit) throws IOException {
        commit.run();
        awaitNextRequest();
        throw new IOException("nobody waits for it any more");
      }
    },
    /** The client has given up and looks where the tables stand, and only then it takes effect. */
    TIMEOUT_BEFORE {
      @Override
      void deliver(Runnable commit) {
        awaitNextRequest();
        commit.run();
      }
    };

    abstract void deliver(Runnable commit) throws IOException;
  }

  private static void awaitNextRequest() {
    long before = server.requests();
    Awaitility.await()
        .atMost(LONG)
        .pollInterval(Duration.ofMillis(5))
        .until(() -> server.requests() > before);
  }

  @BeforeAll
  static void start() throws IOException {
    server = Shop.restServer(home.resolve("warehouse"));
    Map<String, String> catalog = new TreeMap<>(Shop.rest(server));
    catalog.put("rest.client.socket-timeout-ms", "1000");
    shop = new Shop(SharedStack.kafka());
    tables = new Tables(catalog);
    daemon = new LocalDaemon(shop.settings(catalog));
    shop.sell(20);
    awaitWhole();
  }

  private static void awaitWhole() {
    Checks.awaitCaughtUp(shop, tables, daemon::check, Shop.ORDERS, Shop.PAYMENTS);
    Checks.assertWhole(shop, tables, Shop.ORDERS);
    Checks.assertWhole(shop, tables, Shop.PAYMENTS);
  }

  @Fault(
      area = Area.COMMIT,
      what = "the commit of a daemon at work on its way to a REST catalog and back",
      outcome = "looked for by its batch id, committed once; nothing lost, nothing twice",
      cases = {Case.A2, Case.A3})
  @ParameterizedTest(name = "{0}")
  @EnumSource
  void nothingIsLostAndNothingIsThereTwice(Loss loss) throws InterruptedException {
    AtomicBoolean first = new AtomicBoolean(true);
    CountDownLatch hit = new CountDownLatch(1);
    server.deliverBy(
        commit -> {
          if (first.getAndSet(false)) {
            hit.countDown();
            loss.deliver(commit);
          } else {
            commit.run();
          }
        });
    shop.sell(20);
    shop.garble();
    if (!hit.await(LONG.toSeconds(), TimeUnit.SECONDS)) {
      throw new AssertionError("no commit came");
    }
    awaitWhole();
    shop.replay();
    awaitWhole();
  }

  @AfterAll
  static void end() {
    daemon.close();
    tables.close();
    shop.close();
    server.close();
  }
}
