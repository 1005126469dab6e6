package io.onceberg.it.platform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/** Debezium's connector for one database, handled through the Connect worker's REST API. */
final class Connector implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final HttpClient HTTP = HttpClient.newBuilder().connectTimeout(PATIENCE).build();

  private final Stack stack;
  private final String name;

  private Connector(Stack stack, String name) {
    this.stack = stack;
    this.name = name;
  }

  /**
   * Makes the connector and waits until it runs.
   *
   * @param name of connector, database, slot, publication, and prefix of the topics
   */
  static Connector create(Stack stack, String name) {
    Connector made = new Connector(stack, name);
    try {
      String config = JSON.writeValueAsString(made.config());
      HttpResponse<String> answer =
          made.ask("PUT", "/config", HttpRequest.BodyPublishers.ofString(config));
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
    made.awaitRunning();
    return made;
  }

  private Map<String, String> config() {
    Address database = stack.inside(Service.POSTGRES);
    Map<String, String> config = new TreeMap<>();
    config.put("connector.class", "io.debezium.connector.postgresql.PostgresConnector");
    config.put("tasks.max", "1");
    config.put("plugin.name", "pgoutput");
    config.put("database.hostname", database.host());
    config.put("database.port", String.valueOf(database.port()));
    config.put("database.user", PlatformSettings.USER);
    config.put("database.password", stack.password());
    config.put("database.dbname", name);
    config.put("topic.prefix", name);
    config.put("slot.name", name);
    config.put("slot.retry.delay.ms", "500");
    config.put("publication.name", name);
    config.put("publication.autocreate.mode", "filtered");
    config.put("schema.include.list", "public");
    config.put("poll.interval.ms", "50");
    config.put("retriable.restart.connector.wait.ms", "500");
    config.put("topic.creation.default.replication.factor", "1");
    config.put("topic.creation.default.partitions", "2");
    return config;
  }

  /** Starts connector and task again, in order: how far they have read is stored. */
  void restart() {
    HttpResponse<String> answer =
        ask("POST", "/restart?includeTasks=true", HttpRequest.BodyPublishers.noBody());
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
    awaitRunning();
  }

  /** Waits until the worker says that connector and task run. */
  void awaitRunning() {
    await("connector " + name)
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(100))
        .until(this::status, said -> said.split("\"RUNNING\"", -1).length == 3);
  }

  private String status() {
    return ask("GET", "/status", HttpRequest.BodyPublishers.noBody()).body();
  }

  private HttpResponse<String> ask(String method, String path, HttpRequest.BodyPublisher body) {
    HttpRequest request =
        HttpRequest.newBuilder(stack.outside(Service.CONNECT).http("/connectors/" + name + path))
            .method(method, body)
            .header("Content-Type", "application/json")
            .timeout(PATIENCE)
            .build();
    try {
      return HTTP.send(request, HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new PlatformException("interrupted", e);
    }
  }

  /** Deletes the connector; its task ends in order. */
  @Override
  public void close() {
    await("deletion of connector " + name)
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(100))
        .until(
            () -> ask("DELETE", "", HttpRequest.BodyPublishers.noBody()).statusCode(),
            status -> status == 204 || status == 404); // 409 while the workers make up their minds
  }
}
