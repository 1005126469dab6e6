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
 * line goes out, {@code ok} and the first value of the answer, or {@code error} and why. The first
 * argument is the port on this machine, the others are settings, {@code name=value}.
 */
public final class SqlPeer {
  private SqlPeer() {}

  public static void main(String[] arguments) throws IOException {
    SparkConf conf = new SparkConf(false).setMaster("local[*]").setAppName("peer");
    for (int i = 1; i < arguments.length; i++) {
      int equals = arguments[i].indexOf('=');
      conf.set(arguments[i].substring(0, equals), arguments[i].substring(equals + 1));
    }
    SparkSession spark = SparkSession.builder().config(conf).getOrCreate();
    try (Socket socket =
            new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0]));
        BufferedReader in =
            new BufferedReader(
                new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        PrintWriter out = new PrintWriter(socket.getOutputStream(), true, StandardCharsets.UTF_8)) {
      out.println("ok\t" + spark.version());
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        out.println(answer(spark, line));
      }
    }
    System.exit(0);
  }

  private static String answer(SparkSession spark, String statement) {
    try {
      List<Row> rows = spark.sql(statement).collectAsList();
      Object first = rows.isEmpty() || rows.get(0).size() == 0 ? null : rows.get(0).get(0);
      return "ok\t" + (first == null ? "" : first.toString().replaceAll("\\s+", " "));
    } catch (Exception e) { // Spark throws checked ones that it does not declare
      e.printStackTrace();
      return "error\t" + String.valueOf(e.getMessage()).replaceAll("\\s+", " ");
    }
  }
}
