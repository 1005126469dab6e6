package io.onceberg.it.bench;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.iceberg.IcebergBuild;
import org.apache.kafka.common.utils.AppInfoParser;

/**
 * What the figures were measured on.
 *
 * @param load the load average of the last minute before the run: above 0.5 something else ran
 */
public record Machine(
    int cores,
    String processor,
    long memoryMegabytes,
    String system,
    String jvm,
    String kafka,
    String spark,
    String iceberg,
    double load) {
  public static Machine here() {
    return new Machine(
        Runtime.getRuntime().availableProcessors(),
        field("/proc/cpuinfo", "model name"),
        totalMegabytes(),
        System.getProperty("os.name") + " " + System.getProperty("os.version"),
        System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version"),
        AppInfoParser.getVersion(),
        org.apache.spark.package$.MODULE$.SPARK_VERSION(),
        IcebergBuild.version(),
        ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
  }

  public String describe() {
    return "%d cores (%s), %d MB, %s%n%s; Kafka %s, Spark %s, Iceberg %s; load before the run %.1f"
        .formatted(cores, processor, memoryMegabytes, system, jvm, kafka, spark, iceberg, load);
  }

  public ObjectNode json() {
    return JsonNodeFactory.instance
        .objectNode()
        .put("cores", cores)
        .put("processor", processor)
        .put("memoryMegabytes", memoryMegabytes)
        .put("system", system)
        .put("java", jvm)
        .put("kafka", kafka)
        .put("spark", spark)
        .put("iceberg", iceberg)
        .put("load", load);
  }

  private static long totalMegabytes() {
    String digits = field("/proc/meminfo", "MemTotal").replaceAll("\\D", "");
    return digits.isEmpty() ? 0 : Long.parseLong(digits) / 1024;
  }

  private static String field(String file, String name) {
    Path path = Path.of(file);
    if (!Files.exists(path)) {
      return "unknown";
    }
    try {
      return Files.readAllLines(path).stream()
          .filter(line -> line.startsWith(name))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse("unknown");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
