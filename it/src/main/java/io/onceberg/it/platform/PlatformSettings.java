package io.onceberg.it.platform;

import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.function.Function;

/** What the services are told, wherever they run. */
public final class PlatformSettings {
  static final String USER = "postgres";
  static final String BUCKET = "lake";
  private static final String ACCESS_KEY = "onceberg";
  private static final String SECRET_KEY = "not-a-secret";

  /**
   * System properties of each program that uses the object store. It does not know the checksums
   * that the AWS SDK sends and asks for by default; no more do many stores beside S3 itself.
   */
  static final Map<String, String> S3_CLIENT =
      Map.of(
          "aws.requestChecksumCalculation", "when_required",
          "aws.responseChecksumValidation", "when_required");

  private PlatformSettings() {}

  /** Lets this program itself read and write what lies in the object store. */
  public static void useObjectStoreHere() {
    S3_CLIENT.forEach(System::setProperty);
  }

  /**
   * The properties with which a client opens the catalog.
   *
   * @param where how the client reaches the services
   */
  public static Map<String, String> catalog(Function<Service, Address> where) {
    Map<String, String> properties = new HashMap<>(storage(where));
    properties.put("type", "rest");
    properties.put("uri", where.apply(Service.CATALOG).http("").toString());
    properties.put("rest-metrics-reporting-enabled", "false");
    return properties;
  }

  private static Map<String, String> storage(Function<Service, Address> where) {
    return Map.of(
        "io-impl",
        "org.apache.iceberg.aws.s3.S3FileIO",
        "s3.endpoint",
        where.apply(Service.OBJECT_STORE).http("").toString(),
        "s3.path-style-access",
        "true",
        "s3.access-key-id",
        ACCESS_KEY,
        "s3.secret-access-key",
        SECRET_KEY,
        "client.region",
        "us-east-1");
  }

  /** The catalog server's properties: a catalog on SQLite, the tables in the object store. */
  static Properties catalogServer(Function<Service, Address> where, String database) {
    Properties properties = new Properties();
    properties.putAll(storage(where));
    properties.put("uri", "jdbc:sqlite:" + database);
    properties.put("jdbc.schema-version", "V1");
    properties.put("warehouse", "s3://" + BUCKET + "/warehouse");
    return properties;
  }

  /** The object store's properties. Its buckets are the directories below another. */
  static Properties objectStore(Address listen, String directory) {
    Properties properties = new Properties();
    properties.put("s3proxy.endpoint", listen.http("").toString());
    properties.put("s3proxy.authorization", "aws-v2-or-v4");
    properties.put("s3proxy.identity", ACCESS_KEY);
    properties.put("s3proxy.credential", SECRET_KEY);
    properties.put("jclouds.provider", "filesystem-nio2");
    properties.put("jclouds.filesystem.basedir", directory);
    return properties;
  }

  /**
   * The Connect worker's properties. It stores how far its connectors have read only when they end
   * in order: whenever it is killed, they send everything again.
   */
  static Properties connect(
      Function<Service, Address> where, String listen, String advertised, String plugins) {
    Properties properties = new Properties();
    properties.put("bootstrap.servers", where.apply(Service.KAFKA).hostAndPort());
    properties.put("group.id", "connect");
    properties.put("key.converter", "org.apache.kafka.connect.json.JsonConverter");
    properties.put("value.converter", "org.apache.kafka.connect.json.JsonConverter");
    properties.put("listeners", listen);
    properties.put("rest.advertised.host.name", advertised);
    properties.put("plugin.path", plugins);
    properties.put("plugin.discovery", "service_load");
    properties.put("offset.flush.interval.ms", "3600000");
    // a worker that is gone is missed soon, and its work taken over at once
    properties.put("session.timeout.ms", "6000");
    properties.put("heartbeat.interval.ms", "1000");
    properties.put("scheduled.rebalance.max.delay.ms", "0");
    for (String topic : new String[] {"offset", "config", "status"}) {
      properties.put(topic + ".storage.topic", "connect_" + topic);
      properties.put(topic + ".storage.replication.factor", "1");
    }
    properties.put("offset.storage.partitions", "1");
    properties.put("status.storage.partitions", "1");
    return properties;
  }
}
