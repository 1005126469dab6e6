package io.onceberg.it.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import io.onceberg.ingest.config.DaemonConfig;
import io.onceberg.ingest.loop.IngestLoop;
import io.onceberg.ingest.loop.LoopEnd;
import io.onceberg.ingest.loop.LoopState;
import io.onceberg.ingest.source.BatchPlanner;
import io.onceberg.it.source.TestTopic;
import io.onceberg.it.stack.LocalKafka;
import io.onceberg.it.stack.SharedStack;
import io.onceberg.keystore.TargetName;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class IngestLoopTest {
  private static final LocalKafka KAFKA = SharedStack.kafka();

  private final ReadingEngine engine = new ReadingEngine(KAFKA.bootstrapServers());
  private final CountDownLatch stopping = new CountDownLatch(1);
  private TestTopic orders = TestTopic.create(KAFKA, 2, Map.of());
  private TestTopic items = TestTopic.create(KAFKA, 1, Map.of());
  private BatchPlanner planner = planner();
  private IngestLoop loop = loop();

  @BeforeEach
  void someRecords() {
    orders.sendNumbers(0, 0, 10);
    orders.sendNumbers(1, 10, 20);
    items.sendNumbers(0, 0, 5);
  }

  @AfterEach
  void close() {
    stopping.countDown();
    planner.close();
    orders.close();
    items.close();
  }

  @Test
  void everythingIsReadOnceAndMoreAsItComes() {
    CompletableFuture<LoopEnd> run = CompletableFuture.supplyAsync(loop::run);
    await(() -> engine.values(target(orders)).size() == 20);
    orders.sendNumbers(0, 20, 30);
    await(() -> engine.values(target(orders)).size() == 30);
    await(() -> loop.state() == LoopState.IDLE);

    stopping.countDown();
    LoopEnd end = run.orTimeout(10, TimeUnit.SECONDS).join();
    assertThat(end).isEqualTo(new LoopEnd(null, Map.of()));
    assertThat(loop.state()).isEqualTo(LoopState.STOPPED);
    assertThat(engine.values(target(orders))).doesNotHaveDuplicates().hasSize(30);
    assertThat(engine.values(target(items))).containsExactly("0", "1", "2", "3", "4");
  }

  @Test
  void aTargetThatFailsStopsAloneAndIsTheExitStatus() {
    OncebergException error = new OncebergException(ErrorCode.FOREIGN_TABLE, "not ours");
    engine.broken.put(target(items), error);
    CompletableFuture<LoopEnd> run = CompletableFuture.supplyAsync(loop::run);
    await(() -> engine.values(target(orders)).size() == 20);
    orders.sendNumbers(0, 20, 30);
    await(() -> engine.values(target(orders)).size() == 30);

    stopping.countDown();
    LoopEnd end = run.orTimeout(10, TimeUnit.SECONDS).join();
    assertThat(end.stopped()).isEqualTo(Map.of(target(items), error));
    assertThat(end.worst()).contains(error);
    assertThat(engine.ledger(target(items)).progress()).isEmpty();
  }

  @Test
  void itEndsWhenNoTargetIsLeft() {
    OncebergException error = new OncebergException(ErrorCode.FOREIGN_TABLE, "not ours");
    engine.broken.put(target(items), error);
    engine.broken.put(target(orders), error);

    LoopEnd end = loop.run();
    assertThat(loop.state()).isEqualTo(LoopState.FAILED);
    assertThat(end.error()).isEqualTo(error);
  }

  @Test
  void whatDoesNotAnswerIsWaitedForAndTheTargetsAreReadAnew() {
    for (int i = 0; i < 3; i++) {
      engine.failures.add(new OncebergException(ErrorCode.CATALOG_UNREACHABLE, "down"));
    }
    CompletableFuture<LoopEnd> run = CompletableFuture.supplyAsync(loop::run);
    await(() -> engine.values(target(orders)).size() == 20);

    assertThat(engine.failures).isEmpty();
    assertThat(engine.reloaded).contains(target(orders), target(items));
    stopping.countDown();
    assertThat(run.orTimeout(10, TimeUnit.SECONDS).join().worst()).isEmpty();
  }

  @Test
  void aCatalogThatIsNotUpYetIsWaitedForAndOneThatRefusesIsNot() {
    engine.closed.add(new OncebergException(ErrorCode.CATALOG_UNREACHABLE, "down"));
    engine.closed.add(new OncebergException(ErrorCode.CATALOG_UNREACHABLE, "down"));
    engine.closed.add(new OncebergException(ErrorCode.CATALOG_REFUSED, "no"));
    CompletableFuture<LoopEnd> run =
        CompletableFuture.supplyAsync(loop::run).orTimeout(20, TimeUnit.SECONDS);
    assertThat(run.join().worst().map(OncebergException::code)).contains(ErrorCode.CATALOG_REFUSED);
    assertThat(engine.closed).isEmpty();
    assertThat(engine.read).isEmpty();
  }

  @Test
  void anErrorThatStopsEndsTheLoopAndSoDoesAFault() {
    engine.failures.add(new OncebergException(ErrorCode.CATALOG_REFUSED, "no"));
    assertThat(loop.run().worst().map(OncebergException::code)).contains(ErrorCode.CATALOG_REFUSED);

    engine.failures.add(new IllegalStateException("a bug"));
    assertThat(loop().run().worst().map(OncebergException::code)).contains(ErrorCode.INTERNAL);
    assertThat(engine.read).isEmpty();
  }

  @Test
  void aLedgerThatDidNotMoveStopsTheTarget() {
    engine.forgetful.add(target(items));
    CompletableFuture<LoopEnd> run = CompletableFuture.supplyAsync(loop::run);
    await(() -> engine.values(target(orders)).size() == 20);
    orders.sendNumbers(0, 20, 21);
    await(() -> engine.values(target(orders)).size() == 21);
    stopping.countDown();

    assertThat(run.orTimeout(10, TimeUnit.SECONDS).join().stopped().get(target(items)))
        .hasMessageStartingWith("OB-506 ");
    assertThat(engine.values(target(items))).hasSize(5);
  }

  /** A first batch may take longer than anyone waits for Kafka at the start. */
  @Test
  void aFirstBatchThatIsFencedIsMadeAgain() {
    engine.failures.add(new OncebergException(ErrorCode.FENCED, "someone was faster"));
    loop =
        new IngestLoop(
            config("start.wait.ms", "0"),
            planner,
            engine,
            engine,
            InstantSource.system(),
            stopping);
    CompletableFuture<LoopEnd> run = CompletableFuture.supplyAsync(loop::run);
    await(() -> engine.values(target(orders)).size() == 20);
    stopping.countDown();
    assertThat(run.orTimeout(10, TimeUnit.SECONDS).join().worst()).isEmpty();
  }

  @Test
  void aBatchInWorkIsFinished() {
    engine.duringBatch = stopping::countDown;
    LoopEnd end = loop.run();
    assertThat(end.worst()).isEmpty();
    assertThat(engine.values(target(orders))).hasSize(20);
    assertThat(engine.ledger(target(orders)).progress()).hasSize(2);
  }

  private static void await(Callable<Boolean> reached) {
    Awaitility.await().atMost(Duration.ofSeconds(30)).until(reached);
  }

  private IngestLoop loop() {
    return new IngestLoop(config(), planner, engine, engine, InstantSource.system(), stopping);
  }

  private BatchPlanner planner() {
    return new BatchPlanner(config(), engine::ledger, InstantSource.system(), () -> false);
  }

  private DaemonConfig config() {
    return config("start.wait.ms", "30000");
  }

  private DaemonConfig config(String name, String value) {
    return DaemonConfig.of(
        Map.of(
            name,
            value,
            "kafka.bootstrap.servers",
            KAFKA.bootstrapServers(),
            "topics",
            orders.name() + "," + items.name(),
            "batch.max.wait.ms",
            "20",
            "retry.backoff.ms",
            "10"));
  }

  private static TargetName target(TestTopic topic) {
    return new TargetName("cdc", topic.name());
  }
}
