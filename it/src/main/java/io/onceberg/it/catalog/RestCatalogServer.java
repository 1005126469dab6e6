package io.onceberg.it.catalog;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.iceberg.PartitionSpecParser;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.SortOrderParser;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.NoSuchNamespaceException;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.rest.CatalogHandlers;
import org.apache.iceberg.rest.Endpoint;
import org.apache.iceberg.rest.RESTCatalogProperties;
import org.apache.iceberg.rest.requests.CommitTransactionRequestParser;
import org.apache.iceberg.rest.requests.CreateTableRequest;
import org.apache.iceberg.rest.requests.UpdateTableRequest;
import org.apache.iceberg.rest.requests.UpdateTableRequestParser;
import org.apache.iceberg.rest.responses.ConfigResponse;
import org.apache.iceberg.rest.responses.ConfigResponseParser;
import org.apache.iceberg.rest.responses.ErrorResponse;
import org.apache.iceberg.rest.responses.ErrorResponseParser;
import org.apache.iceberg.rest.responses.LoadTableResponse;
import org.apache.iceberg.rest.responses.LoadTableResponseParser;

/**
 * A REST catalog over a JDBC catalog. It outlives the daemon, can be killed itself, and moves all
 * tables of a commit in one SQL transaction. It speaks what the daemon and the checks need of the
 * protocol, and advertises no more.
 */
public final class RestCatalogServer implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final List<Endpoint> SPOKEN =
      List.of(
          Endpoint.V1_CREATE_NAMESPACE,
          Endpoint.V1_LOAD_NAMESPACE,
          Endpoint.V1_CREATE_TABLE,
          Endpoint.V1_LOAD_TABLE,
          Endpoint.V1_UPDATE_TABLE,
          Endpoint.V1_COMMIT_TRANSACTION);

  private record Answer(int status, String body) {}

  /** What becomes of a commit of several tables on its way; for tests of lost and late answers. */
  public interface Delivery {
    /**
     * Takes a commit that has come.
     *
     * @param commit makes it take effect
     * @throws IOException when there is to be no answer; any other exception is answered by 500
     */
    void deliver(Runnable commit) throws IOException;
  }

  private final AtomicTables tables;
  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final AtomicLong requests = new AtomicLong();
  private volatile Delivery delivery = Runnable::run;

  /**
   * Starts the server.
   *
   * @param address where it listens; port 0 for any
   * @param properties of the JDBC catalog behind it, with a driver that can be found
   */
  public RestCatalogServer(InetSocketAddress address, Map<String, String> properties) {
    tables = new AtomicTables(properties);
    try {
      server = HttpServer.create(address, 0);
    } catch (IOException e) {
      tables.close();
      throw new UncheckedIOException("cannot listen on " + address, e);
    }
    server.setExecutor(threads);
    server.createContext("/v1/", this::handle);
    server.start();
  }

  /**
   * Takes three arguments: the host and the port to listen on, and a file with the catalog's
   * properties.
   *
   * @throws IOException when that cannot be read
   */
  public static void main(String[] arguments) throws IOException {
    Properties file = new Properties();
    try (var in = Files.newInputStream(Path.of(arguments[2]))) {
      file.load(in);
    }
    Map<String, String> properties = new HashMap<>();
    file.stringPropertyNames().forEach(name -> properties.put(name, file.getProperty(name)));
    InetSocketAddress address = new InetSocketAddress(arguments[0], Integer.parseInt(arguments[1]));
    RestCatalogServer server = new RestCatalogServer(address, properties);
    new PrintStream(System.out, true, UTF_8).println("catalog is ready on port " + server.port());
  }

  /** Takes every commit of several tables from now on. */
  public void deliverBy(Delivery next) {
    delivery = next;
  }

  /** How many requests have come. */
  public long requests() {
    return requests.get();
  }

  public int port() {
    return server.getAddress().getPort();
  }

  private void handle(HttpExchange exchange) throws IOException {
    requests.incrementAndGet();
    String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
    String path = exchange.getRequestURI().getPath().substring("/v1/".length());
    try (exchange) {
      Answer answer = answer(exchange.getRequestMethod(), path, body);
      byte[] bytes = answer.body().getBytes(UTF_8);
      exchange.getResponseHeaders().add("Content-Type", "application/json");
      exchange.sendResponseHeaders(answer.status(), bytes.length == 0 ? -1 : bytes.length);
      exchange.getResponseBody().write(bytes);
    }
  }

  private Answer answer(String method, String path, String body) throws IOException {
    try {
      return route(method.equals("POST"), List.of(path.split("/", -1)), body);
    } catch (CommitFailedException | AlreadyExistsException e) {
      return error(409, e);
    } catch (NoSuchTableException | NoSuchNamespaceException e) {
      return error(404, e);
    } catch (RuntimeException e) {
      return error(500, e);
    }
  }

  private Answer route(boolean post, List<String> path, String body) throws IOException {
    return switch (path.get(0)) {
      case "config" ->
          new Answer(
              200,
              ConfigResponseParser.toJson(ConfigResponse.builder().withEndpoints(SPOKEN).build()));
      case "transactions" -> {
        List<UpdateTableRequest> changes =
            CommitTransactionRequestParser.fromJson(body).tableChanges();
        delivery.deliver(() -> tables.commit(changes));
        yield new Answer(204, "");
      }
      case "namespaces" -> path.size() < 3 ? namespace(post, path, body) : table(post, path, body);
      default -> error(404, new NoSuchTableException("no such path"));
    };
  }

  private Answer namespace(boolean post, List<String> path, String body) throws IOException {
    if (post) {
      tables
          .catalog()
          .createNamespace(Namespace.of(JSON.readTree(body).path("namespace").get(0).asText()));
      return new Answer(200, body);
    }
    tables.catalog().loadNamespaceMetadata(Namespace.of(path.get(1)));
    return new Answer(200, "{\"namespace\":[\"%s\"],\"properties\":{}}".formatted(path.get(1)));
  }

  private Answer table(boolean post, List<String> path, String body) throws IOException {
    Namespace namespace = Namespace.of(path.get(1));
    if (path.size() == 3) {
      return loaded(CatalogHandlers.createTable(tables.catalog(), namespace, creation(body)));
    }
    TableIdentifier name = TableIdentifier.of(namespace, path.get(3));
    return loaded(
        post
            ? CatalogHandlers.updateTable(
                tables.catalog(), name, UpdateTableRequestParser.fromJson(body))
            : CatalogHandlers.loadTable(
                tables.catalog(), name, RESTCatalogProperties.SnapshotMode.ALL));
  }

  private static Answer loaded(LoadTableResponse response) {
    return new Answer(200, LoadTableResponseParser.toJson(response));
  }

  private static CreateTableRequest creation(String body) throws IOException {
    JsonNode json = JSON.readTree(body);
    Schema schema = SchemaParser.fromJson(json.path("schema").toString());
    CreateTableRequest.Builder request =
        CreateTableRequest.builder().withName(json.path("name").asText()).withSchema(schema);
    if (json.hasNonNull("partition-spec")) {
      request.withPartitionSpec(
          PartitionSpecParser.fromJson(schema, json.path("partition-spec").toString()));
    }
    if (json.hasNonNull("write-order")) {
      request.withWriteOrder(SortOrderParser.fromJson(schema, json.path("write-order").toString()));
    }
    json.path("properties")
        .properties()
        .forEach(property -> request.setProperty(property.getKey(), property.getValue().asText()));
    return request.build();
  }

  private static Answer error(int status, RuntimeException e) {
    return new Answer(
        status,
        ErrorResponseParser.toJson(
            ErrorResponse.builder()
                .responseCode(status)
                .withType(e.getClass().getSimpleName())
                .withMessage(String.valueOf(e.getMessage()))
                .build()));
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
    tables.close();
  }
}
