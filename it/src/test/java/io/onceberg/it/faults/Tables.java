package io.onceberg.it.faults;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.jdbc.UncheckedSQLException;

/** The tables as any other reader sees them: through Iceberg's own API, past the daemon. */
public final class Tables implements AutoCloseable {
  static final String NAMESPACE = "shop";
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Catalog catalog;
  private final String namespace;

  Tables(Map<String, String> properties) {
    this(properties, NAMESPACE);
  }

  /** The tables of a namespace. */
  public Tables(Map<String, String> properties, String namespace) {
    this.namespace = namespace;
    this.catalog =
        await()
            .ignoreExceptionsInstanceOf(UncheckedSQLException.class) // the daemon makes it just now
            .until(() -> open(properties), opened -> true);
  }

  private static Catalog open(Map<String, String> properties) {
    return CatalogUtil.buildIcebergCatalog("onceberg", properties, new Configuration());
  }

  static TableIdentifier name(String table) {
    return TableIdentifier.of(NAMESPACE, table);
  }

  boolean has(String table) {
    return catalog.tableExists(TableIdentifier.of(namespace, table));
  }

  Table load(String table) {
    return catalog.loadTable(TableIdentifier.of(namespace, table));
  }

  Catalog catalog() {
    return catalog;
  }

  /** The position of each row, as often as it is there. */
  List<Long> rows(String table) {
    return values(
        table,
        row -> {
          Record cdc = (Record) row.getField("_cdc");
          Record position = (Record) cdc.getField("position");
          return ((Number) position.getField("lsn")).longValue();
        });
  }

  /** The position of each identity of a target, as often as it is there. */
  List<Long> keys(String target) {
    return values(target + "_keys", row -> (Long) row.getField("lsn"));
  }

  /** Where each quarantined record of a target came from, as often as it is there. */
  List<String> quarantine(String target) {
    return values(
        target + "_quarantine", row -> row.getField("partition") + ":" + row.getField("offset"));
  }

  /** One value of each row; none where there is no table. */
  public <T> List<T> values(String table, Function<Record, T> value) {
    List<T> all = new ArrayList<>();
    if (has(table)) {
      try (CloseableIterable<Record> records = IcebergGenerics.read(load(table)).build()) {
        records.forEach(row -> all.add(value.apply(row)));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return all;
  }

  /** The live data files, each as often as it is referenced. */
  public List<String> files(String table) {
    List<String> all = new ArrayList<>();
    if (has(table)) {
      try (CloseableIterable<FileScanTask> tasks = load(table).newScan().planFiles()) {
        tasks.forEach(task -> all.add(task.file().location()));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return all;
  }

  /** The batch at which a table stands, as its newest snapshot of ours says; 0 before the first. */
  long batch(String table) {
    return ledger(table, "onceberg.batch-id")
        .map(id -> Long.parseLong(id.substring(0, id.indexOf('-'))))
        .orElse(0L);
  }

  /** The next offset of each partition, as the newest snapshot of ours says. */
  public Map<String, Long> offsets(String table) {
    Map<String, Long> offsets = new TreeMap<>();
    ledger(table, "onceberg.offsets")
        .ifPresent(
            json -> {
              try {
                JSON.readTree(json)
                    .forEach(
                        topic ->
                            topic
                                .path("next")
                                .properties()
                                .forEach(
                                    next ->
                                        offsets.put(
                                            topic.path("topic").asText() + "-" + next.getKey(),
                                            next.getValue().asLong())));
              } catch (JsonProcessingException e) {
                throw new UncheckedIOException(e);
              }
            });
    return offsets;
  }

  private Optional<String> ledger(String table, String entry) {
    if (!has(table)) {
      return Optional.empty();
    }
    Table loaded = load(table);
    Snapshot snapshot = loaded.currentSnapshot();
    while (snapshot != null && !snapshot.summary().containsKey(entry)) {
      snapshot = snapshot.parentId() == null ? null : loaded.snapshot(snapshot.parentId());
    }
    return Optional.ofNullable(snapshot).map(found -> found.summary().get(entry));
  }

  @Override
  public void close() {
    if (catalog instanceof AutoCloseable closeable) {
      try {
        closeable.close();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
