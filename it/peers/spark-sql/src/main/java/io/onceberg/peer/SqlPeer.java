package io.onceberg.peer;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * A Spark of its own that does what it is told over a socket: a line with a statement comes in, a
 * line goes out, {@code ok} and the first value of the answer, or {@code error} and its first cause.
 * An {@code ok} or {@code error} of its own start comes before all. The first argument is the port on this machine, the others are settings, {@code name=value}.
 */
public final class SqlPeer {
  private SqlPeer() {}

  public static void main(String[] arguments) throws IOException {
    SparkConf conf = new SparkConf(false).setMaster("local[*]").setAppName("peer");
    for (int i = 1; i < arguments.length; i++) {
      int equals = arguments[i].indexOf('=');
      conf.set(arguments[i].substring(0, equals), arguments[i].substring(equals + 1));
    }
    try (Socket socket =
            new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0]));
        BufferedReader in =
            new BufferedReader(
                new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        PrintWriter out = new PrintWriter(socket.getOutputStream(), true, StandardCharsets.UTF_8)) {
      SparkSession spark = start(conf, out);
      for (String line = in.readLine(); spark != null && line != null; line = in.readLine()) {
        out.println(answer(spark, line));
      }
    }
    System.exit(0);
  }

  private static SparkSession start(SparkConf conf, PrintWriter out) {
    try {
      SparkSession spark = SparkSession.builder().config(conf).getOrCreate();
      out.println("ok\t" + spark.version());
      return spark;
    } catch (Exception | OutOfMemoryError e) { // Spark throws checked ones that it does not declare
      out.println(failure(e));
      return null;
    }
  }

  private static String answer(SparkSession spark, String statement) {
    try {
      List<Row> rows = spark.sql(statement).collectAsList();
      Object first = rows.isEmpty() || rows.get(0).size() == 0 ? null : rows.get(0).get(0);
      return "ok\t" + (first == null ? "" : first.toString().replaceAll("\\s+", " "));
    } catch (Exception | OutOfMemoryError | LinkageError e) {
      return failure(e);
    }
  }

  private static String failure(Throwable error) {
    error.printStackTrace();
    Throwable cause = error;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return "error\t" + cause.toString().lines().findFirst().orElse("");
  }
}
