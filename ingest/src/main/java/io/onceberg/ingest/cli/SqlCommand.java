package io.onceberg.ingest.cli;

import io.onceberg.ingest.config.ConfigFile;
import io.onceberg.ingest.config.DaemonConfig;
import io.onceberg.ingest.sink.SparkSessions;
import io.onceberg.keystore.CatalogSettings;
import io.onceberg.keystore.Warehouse;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code onceberg sql}: a look at the tables. */
@Command(
    name = "sql",
    mixinStandardHelpOptions = true,
    description =
        "Runs one Spark SQL query on the configured catalog and prints the result. Reads only: select,"
            + " show, describe, explain.",
    footer = {
      "",
      "Examples:",
      "  onceberg sql --config onceberg.properties \"show tables\"",
      "  onceberg sql --config onceberg.properties --json \\",
      "    \"select _cdc.op, count(*) as n from cdc.orders group by 1\"",
      "",
      "Without --config: the catalog on SQLite in the directory warehouse."
    })
final class SqlCommand implements Callable<Integer> {
  private enum Format {
    TABLE,
    JSON,
    CSV
  }

  @Option(names = "--config", paramLabel = "FILE", description = "The settings of the daemon.")
  private @Nullable Path config;

  @ArgGroup private Form form = new Form();

  /** At most one of them. */
  private static final class Form {
    @Option(names = "--json", description = "One JSON object a line, without its nulls; all rows.")
    private boolean json;

    @Option(names = "--csv", description = "Comma separated, with a header; all rows.")
    private boolean csv;
  }

  private int limit;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "1000",
      description = "The most rows that a printed table shows (default: ${DEFAULT-VALUE}).")
  @SuppressWarnings("UnusedMethod") // picocli calls it
  private void limit(int most) {
    if (most < 1) {
      throw new ParameterException(spec.commandLine(), "--limit must be 1 or more, not " + most);
    }
    limit = most;
  }

  @Parameters(paramLabel = "QUERY", description = "One statement of Spark SQL.")
  private String query = "";

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws IOException {
    Map<String, String> settings = config == null ? Map.of() : ConfigFile.read(config);
    CatalogSettings catalog = DaemonConfig.catalogOf(settings);
    Warehouse.look(catalog);
    try (SparkSession spark = SparkSessions.open(catalog, DaemonConfig.spark(settings))) {
      run(spark, DaemonConfig.namespaceOf(settings));
    }
    return 0;
  }

  private void run(SparkSession spark, String namespace) {
    boolean there = spark.catalog().databaseExists(namespace);
    if (there) {
      // so that tables can be named without it
      spark.sql("use `" + String.join("`.`", namespace.split("\\.", -1)) + "`");
    }
    try {
      ReadOnly.require(spark, query);
      print(spark.sql(query), spec.commandLine().getOut());
    } catch (Exception e) {
      // not RuntimeException: Spark's checked exceptions come undeclared, through Scala
      throw QueryFailures.translate(e, there ? "" : namespace);
    }
  }

  private void print(Dataset<Row> rows, PrintWriter out) {
    switch (form.json ? Format.JSON : form.csv ? Format.CSV : Format.TABLE) {
      case JSON -> rows.toJSON().toLocalIterator().forEachRemaining(out::println);
      case CSV -> printCsv(rows, out);
      case TABLE -> out.print(TextTable.of(rows, limit));
    }
    out.flush();
  }

  private static void printCsv(Dataset<Row> rows, PrintWriter out) {
    out.println(
        Arrays.stream(rows.columns()).map(SqlCommand::quoted).collect(Collectors.joining(",")));
    for (Iterator<Row> all = rows.toLocalIterator(); all.hasNext(); ) {
      Row row = all.next();
      out.println(
          IntStream.range(0, row.size())
              .mapToObj(i -> row.isNullAt(i) ? "" : quoted(TextTable.text(row.get(i))))
              .collect(Collectors.joining(",")));
    }
  }

  private static String quoted(String text) {
    return text.matches("[^\",\\r\\n]*") ? text : '"' + text.replace("\"", "\"\"") + '"';
  }
}
