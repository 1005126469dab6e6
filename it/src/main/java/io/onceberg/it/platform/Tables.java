package io.onceberg.it.platform;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.onceberg.it.stack.Deadline;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
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
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.jdbc.UncheckedSQLException;

/** The tables as any other reader sees them: through Iceberg's own API, past the daemon. */
public final class Tables implements AutoCloseable {
  /** The namespace where none is named. */
  public static final String NAMESPACE = "shop";

  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Catalog catalog;
  private final String namespace;

  public Tables(Map<String, String> properties) {
    this(properties, NAMESPACE);
  }

  /** The tables of a namespace. */
  public Tables(Map<String, String> properties, String namespace) {
    this.namespace = namespace;
    this.catalog = open(properties);
  }

  private static Catalog open(Map<String, String> properties) {
    Deadline deadline = Deadline.in(PATIENCE);
    while (true) {
      try {
        return CatalogUtil.buildIcebergCatalog("onceberg", properties, new Configuration());
      } catch (UncheckedSQLException e) { // a daemon makes it just now
        if (!deadline.pause()) {
          throw e;
        }
      }
    }
  }

  public static TableIdentifier name(String table) {
    return TableIdentifier.of(NAMESPACE, table);
  }

  public boolean has(String table) {
    return catalog.tableExists(TableIdentifier.of(namespace, table));
  }

  public Table load(String table) {
    return catalog.loadTable(TableIdentifier.of(namespace, table));
  }

  public Catalog catalog() {
    return catalog;
  }

  /** The position of each row, as often as it is there. */
  public List<Long> rows(String table) {
    return values(
        table,
        row -> {
          Record cdc = (Record) row.getField("_cdc");
          Record position = (Record) cdc.getField("position");
          return ((Number) position.getField("lsn")).longValue();
        });
  }

  /** The position of each identity of a target, as often as it is there. */
  public List<Long> keys(String target) {
    return values(target + "_keys", row -> (Long) row.getField("lsn"));
  }

  /** Where each quarantined record of a target came from, as often as it is there. */
  public List<String> quarantine(String target) {
    return values(
        target + "_quarantine", row -> row.getField("partition") + ":" + row.getField("offset"));
  }

  /** One value of each row; none where there is no table. */
  public <T> List<T> values(String table, Function<Record, T> value) {
    List<T> all = new ArrayList<>();
    each(table, row -> all.add(value.apply(row)));
    return all;
  }

  /** Hands over every row; none where there is no table. */
  public void each(String table, Consumer<Record> row) {
    if (has(table)) {
      try (CloseableIterable<Record> records = IcebergGenerics.read(load(table)).build()) {
        records.forEach(row);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** Whether a column of some row has this value. */
  public boolean hasRow(String table, String column, Object value) {
    if (!has(table)) {
      return false;
    }
    try (CloseableIterable<Record> found =
        IcebergGenerics.read(load(table)).where(Expressions.equal(column, value)).build()) {
      return found.iterator().hasNext();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** How many rows a table has, as its newest snapshot says. */
  public long count(String table) {
    Snapshot snapshot = has(table) ? load(table).currentSnapshot() : null;
    return snapshot == null
        ? 0
        : Long.parseLong(snapshot.summary().getOrDefault("total-records", "0"));
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
  public long batch(String table) {
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
