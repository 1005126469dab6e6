package io.onceberg.ingest.cli;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import org.apache.kafka.common.utils.AppInfoParser;
import org.apache.spark.package$;
import picocli.CommandLine.IVersionProvider;

/** What {@code --version} prints. */
final class Version implements IVersionProvider {
  @Override
  public String[] getVersion() throws IOException {
    Properties properties = new Properties();
    try (InputStream in = Version.class.getResourceAsStream("version.properties")) {
      if (in != null) {
        properties.load(in);
      }
    }
    return new String[] {
      "onceberg " + properties.getProperty("version", "of unknown version"),
      "Spark %s, Kafka %s, Java %s"
          .formatted(
              package$.MODULE$.SPARK_VERSION(), AppInfoParser.getVersion(), Runtime.version())
    };
  }
}
