package io.onceberg.it.platform;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.onceberg.it.stack.Deadline;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Debezium's connector for one database, handled through the Connect worker's REST API. */
public final class Connector implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final HttpClient HTTP = HttpClient.newBuilder().connectTimeout(PATIENCE).build();
  private static final HttpRequest.BodyPublisher NOTHING = HttpRequest.BodyPublishers.noBody();

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
   * @param settings beside the usual ones
   */
  static Connector create(Stack stack, String name, Map<String, String> settings) {
    Connector made = new Connector(stack, name);
    try {
      Map<String, String> config = made.config();
      config.putAll(settings);
      made.ask(
          "PUT",
          "/config",
          HttpRequest.BodyPublishers.ofString(JSON.writeValueAsString(config)),
          201);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
    made.awaitRunning();
    return made;
  }

  private Map<String, String> config() {
    Address database = stack.inside(Client.CONNECTOR, Service.POSTGRES);
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
    ask("POST", "/restart?includeTasks=true", NOTHING, 202);
    awaitRunning();
  }

  /** Starts what has failed again, as whoever looks after the connector would. */
  public void restartFailed() {
    ask("POST", "/restart?includeTasks=true&onlyFailed=true", NOTHING, 202, 204);
  }

  /** Waits until the worker says that connector and task run. */
  public void awaitRunning() {
    Deadline deadline = Deadline.in(PATIENCE);
    while (!states().equals(List.of("RUNNING", "RUNNING"))) {
      if (!deadline.pause()) {
        throw new PlatformException("connector " + name + " does not run: " + status());
      }
    }
  }

  /** As above, and starts again what has failed meanwhile. */
  public void awaitRunningAgain() {
    Deadline deadline = Deadline.in(PATIENCE.multipliedBy(2));
    while (!runsAgain()) {
      if (!deadline.pause()) {
        throw new PlatformException("connector " + name + " does not run: " + status());
      }
    }
  }

  private boolean runsAgain() {
    try {
      List<String> states = states();
      if (states.contains("FAILED")) {
        restartFailed();
      }
      return states.equals(List.of("RUNNING", "RUNNING"));
    } catch (UncheckedIOException | PlatformException e) {
      return false; // the worker is starting, or the workers make up their minds
    }
  }

  /** The states of the connector and its task, as far as the worker knows of them. */
  public List<String> states() {
    JsonNode status = status();
    List<String> states = new ArrayList<>();
    states.add(status.path("connector").path("state").asText());
    status.path("tasks").forEach(task -> states.add(task.path("state").asText()));
    return states;
  }

  private JsonNode status() {
    try {
      return JSON.readTree(ask("GET", "/status", NOTHING, 200, 404).body());
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  private HttpResponse<String> ask(
      String method, String path, HttpRequest.BodyPublisher body, int... wanted) {
    HttpResponse<String> answer = ask(method, path, body);
    for (int status : wanted) {
      if (answer.statusCode() == status) {
        return answer;
      }
    }
    throw new PlatformException(
        "the Connect worker answers %s %s with %d: %s"
            .formatted(method, path, answer.statusCode(), answer.body()));
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
    Deadline deadline = Deadline.in(PATIENCE);
    int status = ask("DELETE", "", NOTHING).statusCode();
    while (status != 204 && status != 404) { // 409 while the workers make up their minds
      if (!deadline.pause()) {
        throw new PlatformException("connector " + name + " is not deleted, status " + status);
      }
      status = ask("DELETE", "", NOTHING).statusCode();
    }
  }
}
