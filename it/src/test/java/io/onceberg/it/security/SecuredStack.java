package io.onceberg.it.security;

import io.onceberg.ingest.decode.RegistryAvroConverter;
import io.onceberg.it.registry.TestRegistry;
import io.onceberg.it.stack.ChildJvm;
import io.onceberg.it.stack.LocalKafka;
import io.onceberg.it.stack.OwnedProcess;
import io.onceberg.it.stack.Ports;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/** A broker, a registry, a catalog and an object store that all want TLS and credentials. */
final class SecuredStack implements AutoCloseable {
  static final String KAFKA_PASSWORD = "planted-kafka-password";
  static final String REGISTRY_PASSWORD = "planted-registry-password";
  static final String CATALOG_SECRET = "planted-catalog-secret";
  static final String CATALOG_TOKEN = "planted-catalog-token";
  static final String STORE_SECRET = "planted-store-secret-key";

  /** Nothing that is printed may hold one of them. */
  static final List<String> SECRETS =
      List.of(
          KAFKA_PASSWORD,
          REGISTRY_PASSWORD,
          CATALOG_SECRET,
          CATALOG_TOKEN,
          STORE_SECRET,
          Certificates.PASSWORD);

  private static final Duration START = Duration.ofSeconds(60);
  private static final String PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule";

  final Certificates certificates;
  final LocalKafka kafka;
  final TestRegistry registry;
  private final Path home;
  private final OwnedProcess store;
  private final OwnedProcess catalog;
  private final TlsFront registryFront;
  private final TlsFront catalogFront;
  private final int kafkaPort = Ports.free();
  private final int storePort = Ports.free();

  SecuredStack(Path home, Path peers) {
    this.home = home;
    certificates = Certificates.make(home);
    kafka =
        LocalKafka.builder()
            .listener("SASL_SSL", kafkaPort, kafkaPort)
            .set(
                "listener.security.protocol.map",
                "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SASL_SSL:SASL_SSL")
            .set("ssl.keystore.location", certificates.keys().toString())
            .set("ssl.keystore.password", Certificates.PASSWORD)
            .set("ssl.keystore.type", "PKCS12")
            .set("sasl.enabled.mechanisms", "PLAIN")
            .set(
                "listener.name.sasl_ssl.plain.sasl.jaas.config",
                "%s required user_onceberg=\"%s\";".formatted(PLAIN, KAFKA_PASSWORD))
            .start();
    registry = TestRegistry.start(0, "onceberg:" + REGISTRY_PASSWORD);
    registryFront = new TlsFront(certificates, URI.create(registry.url()), null, null);
    store = store(peers);

    int port = Ports.free();
    catalog = catalog(port);
    catalog.awaitOutput("catalog is ready", START);
    catalogFront =
        new TlsFront(
            certificates, URI.create("http://127.0.0.1:" + port), CATALOG_SECRET, CATALOG_TOKEN);
  }

  private OwnedProcess store(Path peers) {
    Path objects = home.resolve("objects");
    directories(objects.resolve("lake"));
    Properties properties = new Properties();
    properties.put("s3proxy.secure-endpoint", "https://127.0.0.1:" + storePort);
    properties.put("s3proxy.keystore-path", certificates.keys().toString());
    properties.put("s3proxy.keystore-password", Certificates.PASSWORD);
    properties.put("s3proxy.authorization", "aws-v2-or-v4");
    properties.put("s3proxy.identity", "onceberg");
    properties.put("s3proxy.credential", STORE_SECRET);
    properties.put("jclouds.provider", "filesystem-nio2");
    properties.put("jclouds.filesystem.basedir", objects.toString());
    Path peer = peers.resolve("object-store");
    return ChildJvm.start(
        "object-store",
        "org.gaul.s3proxy.Main",
        List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
        List.of("--properties", write("store.properties", properties).toString()),
        Map.of(
            "CLASSPATH",
            peer.resolve("src") + File.pathSeparator + peer.resolve("target/lib") + "/*"),
        home.resolve("store.log"));
  }

  private OwnedProcess catalog(int port) {
    Properties properties = new Properties();
    properties.putAll(storage());
    properties.put("uri", "jdbc:sqlite:" + home.resolve("catalog.db"));
    properties.put("jdbc.schema-version", "V1");
    properties.put("warehouse", "s3://lake/warehouse");
    return ChildJvm.start(
        "catalog",
        "io.onceberg.it.catalog.RestCatalogServer",
        List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
        List.of(
            "127.0.0.1", String.valueOf(port), write("catalog.properties", properties).toString()),
        Map.of("JDK_JAVA_OPTIONS", jvm(certificates.trusted())),
        home.resolve("catalog.log"));
  }

  private Map<String, String> storage() {
    return Map.of(
        "io-impl", "org.apache.iceberg.aws.s3.S3FileIO",
        "s3.endpoint", "https://127.0.0.1:" + storePort,
        "s3.path-style-access", "true",
        "s3.access-key-id", "onceberg",
        "s3.secret-access-key", STORE_SECRET,
        "client.region", "us-east-1");
  }

  /** What the environment variable JDK_JAVA_OPTIONS holds, as docs/security.md says it. */
  static String jvm(Path trustStore) {
    return "-Djavax.net.ssl.trustStore="
        + trustStore
        + " -Djavax.net.ssl.trustStorePassword="
        + Certificates.PASSWORD
        + " -Daws.requestChecksumCalculation=when_required"
        + " -Daws.responseChecksumValidation=when_required";
  }

  /** The daemon's settings, secrets from the environment and from files. */
  Map<String, String> settings(String topic) {
    Map<String, String> settings = new TreeMap<>();
    settings.put("kafka.bootstrap.servers", "127.0.0.1:" + kafkaPort);
    settings.put("kafka.security.protocol", "SASL_SSL");
    settings.put("kafka.sasl.mechanism", "PLAIN");
    settings.put(
        "kafka.sasl.jaas.config",
        PLAIN + " required username=\"onceberg\" password=\"${env:KAFKA_PASSWORD}\";");
    settings.put("kafka.ssl.truststore.location", certificates.trusted().toString());
    settings.put("kafka.ssl.truststore.password", "${env:TRUST_STORE_PASSWORD}");
    settings.put("topics", topic);
    settings.put("target.namespace", "shop");
    settings.put("start.wait.ms", "0");
    for (String part : new String[] {"key.converter", "value.converter"}) {
      settings.put(part, RegistryAvroConverter.class.getName());
      settings.put(part + ".schema.registry.url", registryFront.url());
      settings.put(part + ".basic.auth.user.info", "onceberg:${env:REGISTRY_PASSWORD}");
    }
    storage().forEach((name, value) -> settings.put("catalog." + name, value));
    settings.put(
        "catalog.s3.secret-access-key", "${file:" + write("store-secret", STORE_SECRET) + "}");
    settings.put("catalog.type", "rest");
    settings.put("catalog.uri", catalogFront.url());
    settings.put("catalog.credential", "onceberg:${env:CATALOG_SECRET}");
    settings.put("catalog.oauth2-server-uri", catalogFront.url() + "/v1/oauth/tokens");
    settings.put("catalog.scope", "catalog");
    settings.put("catalog.rest-metrics-reporting-enabled", "false");
    return settings;
  }

  String registryUrl(String userInfo) {
    return "https://" + userInfo + "@127.0.0.1:" + registryFront.port();
  }

  static Map<String, String> environment(Path trustStore) {
    return Map.of(
        "KAFKA_PASSWORD", KAFKA_PASSWORD,
        "REGISTRY_PASSWORD", REGISTRY_PASSWORD,
        "CATALOG_SECRET", CATALOG_SECRET,
        "TRUST_STORE_PASSWORD", Certificates.PASSWORD,
        "JDK_JAVA_OPTIONS", jvm(trustStore));
  }

  private Path write(String name, Properties properties) {
    Path file = home.resolve(name);
    try (var out = Files.newOutputStream(file)) {
      properties.store(out, null);
      return file;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Path write(String name, String text) {
    try {
      return Files.writeString(home.resolve(name), text + "\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void directories(Path directory) {
    try {
      Files.createDirectories(directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    catalogFront.close();
    registryFront.close();
    catalog.kill();
    store.kill();
    registry.close();
    kafka.close();
  }
}
