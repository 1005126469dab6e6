package io.onceberg.ingest.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.onceberg.ingest.config.DedupPolicy.Conflict;
import io.onceberg.ingest.config.DedupPolicy.KeyReuse;
import io.onceberg.ingest.config.DedupPolicy.SnapshotRows;
import io.onceberg.ingest.config.DedupPolicy.Twins;
import io.onceberg.ingest.decode.DecodeSettings.Incompatible;
import io.onceberg.keystore.CatalogSettings.RequiredAtomicity;
import io.onceberg.keystore.TargetKind;
import io.onceberg.keystore.TargetName;
import io.onceberg.keystore.TargetSettings.NewColumns;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class DaemonConfigTest {
  private static final TargetName ORDERS = new TargetName("cdc", "orders");

  @Test
  void theSmallestFileHasADefaultForAllElse() {
    DaemonConfig config = config();

    assertThat(config.kafka().bootstrapServers()).isEqualTo("broker:9092");
    assertThat(config.kafka().groupId()).isEqualTo("onceberg");
    assertThat(config.topics())
        .isEqualTo(new TopicSelection.Listed(List.of("shop.public.orders", "shop.public.items")));
    assertThat(config.start()).isEqualTo(StartPolicy.EARLIEST);
    assertThat(config.batch())
        .isEqualTo(new BatchLimits(250_000, 512L << 20, Duration.ofSeconds(1)));
    assertThat(config.catalog().atomicity()).isEqualTo(RequiredAtomicity.BEST);
    String warehouse = Path.of("warehouse").toAbsolutePath().toString();
    assertThat(config.catalog().properties())
        .containsEntry("type", "jdbc")
        .containsEntry("warehouse", warehouse)
        .containsEntry("uri", "jdbc:sqlite:" + warehouse + "/catalog.db");
    TargetDefinition orders = config.target(config.route("shop.public.orders"));
    assertThat(orders.table().name()).isEqualTo(ORDERS);
    assertThat(orders.table().kind()).isEqualTo(TargetKind.CHANGELOG);
    assertThat(orders.table().newColumns()).isEqualTo(NewColumns.APPEND);
    assertThat(orders.dedup()).isEqualTo(DedupPolicy.DEFAULT);
    assertThat(orders.decode().incompatible()).isEqualTo(Incompatible.QUARANTINE);
    assertThat(orders.decode().valueConverter())
        .isEqualTo(Map.of("converter", Settings.JSON_CONVERTER, "schemas.enable", "true"));
    assertThat(config.listedTargets()).hasSize(2).contains(orders);
  }

  @Test
  void aTableTakesItsOwnSettingsBeforeTheDefaults() {
    DaemonConfig config =
        config(
            "table.default.twins", "collapse",
            "table.default.conflict", "stop",
            "table.default.properties.write.format.default", "orc",
            "table.default.properties.gc.enabled", "false",
            "table.orders.kind", "events",
            "table.orders.key", "event_id, part",
            "table.orders.partition.by", "days(created_at), bucket(16, id)",
            "table.orders.conflict", "keep-first",
            "table.orders.snapshot", "keep-each",
            "table.orders.key.reuse", "never",
            "keys.retention", "90d",
            "table.orders.properties.write.format.default", "parquet",
            "source.epoch", "3");

    TargetDefinition orders = config.target(ORDERS);
    assertThat(orders.table().eventKey()).containsExactly("event_id", "part");
    assertThat(orders.table().partitionBy()).containsExactly("days(created_at)", "bucket(16, id)");
    assertThat(orders.table().sourceEpoch()).isEqualTo(3);
    assertThat(orders.table().tableProperties())
        .isEqualTo(Map.of("write.format.default", "parquet", "gc.enabled", "false"));
    assertThat(orders.dedup())
        .isEqualTo(
            new DedupPolicy(
                Conflict.KEEP_FIRST, Twins.COLLAPSE, SnapshotRows.KEEP_EACH, KeyReuse.NEVER));
    assertThat(orders.table().keys().retentionDays()).isEqualTo(90);
    assertThat(config.target(new TargetName("cdc", "items")).dedup().conflict())
        .isEqualTo(Conflict.STOP);
  }

  @Test
  void aTableMayBeNamedWithItsNamespace() {
    DaemonConfig config =
        config(
            "route.shop.public.orders", "sales.eu.orders",
            "table.sales.eu.orders.twins", "keep");

    TargetName target = config.route("shop.public.orders");
    assertThat(target).isEqualTo(new TargetName("sales.eu", "orders"));
    assertThat(config.target(target).dedup().twins()).isEqualTo(Twins.KEEP);
  }

  @Test
  void topicsShareATableOnlyWhereThatIsSaid() {
    Map<String, String> settings = new HashMap<>(base());
    settings.put("topics", "a.orders,b.orders");
    assertThatThrownBy(() -> DaemonConfig.of(settings))
        .hasMessageStartingWith("OB-102 ")
        .hasMessageContaining("[a.orders, b.orders]");

    settings.put("route.a.orders", "orders");
    settings.put("route.b.orders", "orders");
    assertThat(DaemonConfig.of(settings).targetsOf(List.of("b.orders", "a.orders")))
        .isEqualTo(Map.of(ORDERS, List.of("a.orders", "b.orders")));
  }

  @ParameterizedTest
  @CsvSource({
    "kafka.bootstrap.server, kafka.bootstrap.servers",
    "kafka.sasl.jaas.confg, kafka.sasl.jaas.config",
    "batch.max.row, batch.max.rows",
    "topic, topics",
    "table.orders.partiton.by, table.orders.partition.by",
    "table.order.twins, table.orders.*",
    "route.shop.public.order, route.shop.public.orders",
    "catalogue.type, catalog.type",
  })
  void anUnknownNameIsRefusedWithTheNearestKnown(String wrong, String nearest) {
    assertThatThrownBy(() -> config(wrong, "keep"))
        .hasMessageStartingWith("OB-101 ")
        .hasMessageContaining("did you mean '" + nearest + "'?");
  }

  @Test
  void aNameThatIsLikeNoneIsRefusedWithoutAGuess() {
    assertThatThrownBy(() -> config("zzz", "1"))
        .hasMessageStartingWith("OB-101 ")
        .hasMessageContaining("'zzz' is no setting; see");
  }

  @ParameterizedTest
  @CsvSource({
    "batch.max.rows, many",
    "batch.max.rows, 0",
    "commit.atomicity, maybe",
    "decode.fast.paths, yes",
    "kafka.auto.offset.reset, latest",
    "kafka.isolation.level, read_uncommitted",
    "topics.regex, shop.*",
    "table.orders.key, id",
    "table.orders.kind, mirror",
    "route.shop.public.orders, .x",
    "retry.backoff.max.ms, 20",
  })
  void aBadValueIsRefusedByName(String name, String value) {
    assertThatThrownBy(() -> config(name, value))
        .hasMessageStartingWith("OB-102 ")
        .hasMessageContaining(name);
  }

  @ParameterizedTest
  @CsvSource({
    "kafka.bootstrap.servers, kafka.bootstrap.servers",
    "topics, topics",
    "table.orders.key, table.orders.key"
  })
  void aMissingSettingIsNamed(String missing, String named) {
    Map<String, String> settings = new HashMap<>(base());
    settings.put("table.orders.kind", "events");
    settings.put("table.orders.key", "id");
    settings.remove(missing);
    assertThatThrownBy(() -> DaemonConfig.of(settings))
        .hasMessageStartingWith("OB-103 ")
        .hasMessageContaining(named);
  }

  @Test
  void nothingPrintsAValue() {
    DaemonConfig config =
        config(
            "kafka.sasl.jaas.config", "hunter2",
            "catalog.jdbc.password", "hunter2",
            "value.converter.basic.auth.user.info", "hunter2",
            "spark.hadoop.fs.s3a.secret.key", "hunter2");

    assertThat(
            List.of(
                config.toString(),
                config.kafka().toString(),
                config.catalog().toString(),
                config.target(ORDERS).toString()))
        .allSatisfy(text -> assertThat(text).doesNotContain("hunter2"));
    assertThat(config.kafka().properties()).containsEntry("sasl.jaas.config", "hunter2");
    assertThat(config.spark()).containsEntry("spark.hadoop.fs.s3a.secret.key", "hunter2");
  }

  @Test
  void backoffDoublesUpToItsLimit() {
    RetrySettings retry = new RetrySettings(Duration.ofMillis(500), Duration.ofSeconds(30));
    assertThat(retry.waitAfter(1)).isEqualTo(Duration.ofMillis(500));
    assertThat(retry.waitAfter(2)).isEqualTo(Duration.ofSeconds(1));
    assertThat(retry.waitAfter(6)).isEqualTo(Duration.ofSeconds(16));
    assertThat(retry.waitAfter(7)).isEqualTo(Duration.ofSeconds(30));
    assertThat(retry.waitAfter(1_000_000)).isEqualTo(Duration.ofSeconds(30));
  }

  private static Map<String, String> base() {
    return Map.of(
        "kafka.bootstrap.servers", "broker:9092", "topics", "shop.public.orders,shop.public.items");
  }

  private static DaemonConfig config(String... pairs) {
    Map<String, String> settings = new HashMap<>(base());
    for (int i = 0; i < pairs.length; i += 2) {
      settings.put(pairs[i], pairs[i + 1]);
    }
    return DaemonConfig.of(settings);
  }
}
