package io.onceberg.it.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.onceberg.ingest.decode.RegistryAvroConverter;
import io.onceberg.it.stack.ChildJvm;
import io.onceberg.it.stack.OwnedProcess;
import io.onceberg.it.stack.Scratch;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The daemon against parts that all want TLS and credentials, as docs/security.md sets it up. It
 * works, and each wrong credential and each certificate that is not trusted ends in a numbered
 * error. Everything is logged at DEBUG, and no secret is found in anything that was printed or
 * stored.
 */
class SecuredConnectionsTest {
  private static final Duration LONG = Duration.ofSeconds(90);
  private static final String TOPIC = "orders";

  private static Path home;
  private static SecuredStack stack;

  @BeforeAll
  static void start() throws Exception {
    home = Scratch.directory("secured");
    stack = new SecuredStack(home, Path.of("peers").toAbsolutePath());
    try (Admin admin = stack.kafka.admin()) {
      admin.createTopics(List.of(new NewTopic(TOPIC, 1, (short) 1))).all().get();
    }
    sell(10);
  }

  @AfterAll
  static void stop() {
    stack.close();
    Scratch.delete(home);
  }

  private static void sell(int orders) throws Exception {
    Schema schema = SchemaBuilder.struct().name("Order").field("id", Schema.INT64_SCHEMA).build();
    RegistryAvroConverter converter = new RegistryAvroConverter();
    converter.configure(
        Map.of(
            "schema.registry.url",
            stack.registry.url(),
            "basic.auth.user.info",
            "onceberg:" + SecuredStack.REGISTRY_PASSWORD),
        false);
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", stack.kafka.bootstrapServers()),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      for (long id = 0; id < orders; id++) {
        byte[] value = converter.fromConnectData(TOPIC, schema, new Struct(schema).put("id", id));
        producer.send(new ProducerRecord<>(TOPIC, null, value)).get();
      }
    }
  }

  private static OwnedProcess daemon(
      String name, Map<String, String> changed, Map<String, String> variables) {
    Map<String, String> settings = stack.settings(TOPIC);
    settings.put("table.orders.kind", "events");
    settings.put("table.orders.key", "id");
    settings.putAll(changed);
    settings.values().removeIf(String::isEmpty);
    Map<String, String> environment =
        new HashMap<>(SecuredStack.environment(stack.certificates.trusted()));
    environment.putAll(variables);
    return ChildJvm.start(
        name,
        "io.onceberg.ingest.cli.Main",
        List.of(
            "-Xmx512m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Donceberg.log.level=DEBUG",
            "-Donceberg.log.level.others=DEBUG"),
        List.of("run", "--config", write(name + ".properties", settings).toString()),
        environment,
        home.resolve("said-" + name + ".log"));
  }

  private static Path write(String name, Map<String, String> settings) {
    List<String> lines = new ArrayList<>();
    settings.forEach((key, value) -> lines.add(key + "=" + value));
    try {
      return Files.write(home.resolve(name), lines);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void assertTellsNoSecret(String said) {
    for (String secret : SecuredStack.SECRETS) {
      for (String line : said.split("\n", -1)) {
        // the JVM prints what it takes from this variable
        if (!line.startsWith("NOTE: Picked up JDK_JAVA_OPTIONS")) {
          assertThat(line).doesNotContain(secret);
        }
      }
    }
  }

  @Test
  void worksAndTellsNoSecret() throws Exception {
    OwnedProcess daemon = daemon("works", inAddress("${env:REGISTRY_PASSWORD}"), Map.of());
    try {
      daemon.awaitOutput("batch target=shop.orders", LONG);
      assertThat(daemon.output()).contains("rows=10");
      assertTellsNoSecret(
          String.join(
              " ",
              ProcessHandle.of(daemon.pid())
                  .orElseThrow()
                  .info()
                  .arguments()
                  .orElse(new String[0])));
      assertThat(daemon.terminate(Duration.ofSeconds(20))).as(daemon::tail).isTrue();
    } finally {
      daemon.kill();
    }
    assertTellsNoSecret(daemon.output());
    try (Stream<Path> objects = Files.walk(home.resolve("objects"))) {
      for (Path object : objects.filter(Files::isRegularFile).toList()) {
        assertTellsNoSecret(Files.readString(object, java.nio.charset.StandardCharsets.ISO_8859_1));
      }
    }
    OwnedProcess check =
        ChildJvm.start(
            "check",
            "io.onceberg.ingest.cli.Main",
            List.of("-Xmx256m", "-XX:TieredStopAtLevel=1"),
            List.of("config", "check", home.resolve("works.properties").toString()),
            SecuredStack.environment(stack.certificates.trusted()),
            home.resolve("said-check.log"));
    assertThat(check.awaitEnd(LONG)).isTrue();
    assertThat(check.output()).contains("is right");
    assertTellsNoSecret(check.output());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "kafka-password | KAFKA_PASSWORD | planted-wrong-1 | OB-206 | check the credentials",
        "registry-password | REGISTRY_PASSWORD | planted-wrong-2 | OB-311 | its credentials",
        "catalog-secret | CATALOG_SECRET | planted-wrong-3 | OB-502 | check its address, credentials",
      })
  void aWrongPasswordIsANumberedError(
      String name, String variable, String value, String number, String advice) {
    assertEnds(daemon(name, Map.of(), Map.of(variable, value)), number, advice, value);
  }

  /** With {@code start.wait.ms=0}; else it is waited for, as all that ails the storage is. */
  @Test
  void aWrongSecretKeyIsANumberedError() {
    Map<String, String> wrong =
        Map.of("catalog.s3.secret-access-key", "planted-wrong-4", "target.namespace", "other");
    assertEnds(
        daemon("store-secret", wrong, Map.of()),
        "OB-508",
        "check the storage's",
        "planted-wrong-4");
  }

  @Test
  void aBrokerThatIsNotTrustedIsANumberedError() {
    Map<String, String> others =
        Map.of("kafka.ssl.truststore.location", stack.certificates.others().toString());
    assertEnds(
        daemon("kafka-trust", others, Map.of()), "OB-206", "kafka.ssl.truststore.location", "--");
  }

  @Test
  void aServerThatIsNotTrustedIsANumberedError() {
    Map<String, String> others =
        Map.of("JDK_JAVA_OPTIONS", SecuredStack.jvm(stack.certificates.others()));
    assertEnds(daemon("trust", Map.of(), others), "OB-502", "trust store", "--");
  }

  @Test
  void aWrongPasswordInAnAddressIsNotTold() {
    assertEnds(
        daemon("url", inAddress("planted-wrong-5"), Map.of()),
        "OB-311",
        "credentials",
        "planted-wrong-5");
  }

  /** The registry's password in its address. */
  private static Map<String, String> inAddress(String password) {
    Map<String, String> settings = new HashMap<>();
    for (String part : new String[] {"key.converter", "value.converter"}) {
      settings.put(part + ".schema.registry.url", stack.registryUrl("onceberg:" + password));
      settings.put(part + ".basic.auth.user.info", "");
    }
    return settings;
  }

  private static void assertEnds(OwnedProcess daemon, String number, String advice, String secret) {
    try {
      assertThat(daemon.awaitEnd(LONG)).as(daemon::tail).isTrue();
      String said = daemon.output();
      assertThat(daemon.exitStatus().orElse(0)).as(daemon::tail).isNotZero();
      String error =
          said.lines().filter(line -> line.contains("error " + number)).findFirst().orElse("");
      assertThat(error).as(daemon::tail).contains(advice);
      assertTellsNoSecret(said);
      assertThat(said).doesNotContain(secret);
    } finally {
      daemon.kill();
    }
  }
}
