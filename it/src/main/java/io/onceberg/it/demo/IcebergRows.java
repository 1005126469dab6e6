package io.onceberg.it.demo;

import io.onceberg.ingest.config.DaemonConfig;
import io.onceberg.ingest.sink.SparkSessions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** Reads the tables as any user of Spark SQL would. */
final class IcebergRows implements AutoCloseable {
  private final SparkSession spark;
  private final String catalog;

  IcebergRows(DaemonConfig config) {
    Map<String, String> settings = new HashMap<>(config.spark());
    settings.put("spark.sql.datetime.java8API.enabled", "true");
    this.catalog = config.catalog().name();
    this.spark = SparkSessions.open(config.catalog(), settings);
  }

  long count(String table) {
    return spark.sql("select count(*) from %s.%s".formatted(catalog, table)).head().getLong(0);
  }

  /** Hands over every row of a target, written down in full. */
  void read(DemoTable table, Consumer<String> event) {
    String columns =
        table.columns().stream().map(c -> "`" + c.name() + "`").collect(Collectors.joining(", "));
    Iterator<Row> rows =
        spark
            .sql(
                "select _cdc.op, _cdc.tx_id, _cdc.unavailable, %s from %s.%s"
                    .formatted(columns, catalog, table.target()))
            .toLocalIterator();
    rows.forEachRemaining(row -> event.accept(text(table, row)));
  }

  private static String text(DemoTable table, Row row) {
    int first = 3;
    List<String> values = new ArrayList<>();
    for (int i = 0; i < table.columns().size(); i++) {
      values.add(Canonical.ofSpark(table.columns().get(i).type(), row.get(first + i)));
    }
    String op = row.getString(0);
    String transaction = op.equals("r") || row.isNullAt(1) ? "" : row.getString(1);
    List<String> unavailable = row.isNullAt(2) ? List.of() : row.getList(2);
    return Event.text(op, transaction, values, unavailable);
  }

  @Override
  public void close() {
    spark.stop();
  }
}
