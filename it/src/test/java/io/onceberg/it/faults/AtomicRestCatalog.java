package io.onceberg.it.faults;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.CatalogProperties;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.PartitionSpecParser;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.SortOrderParser;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.NoSuchNamespaceException;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.inmemory.InMemoryCatalog;
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
 * A REST catalog that outlives the daemon and applies a commit over several tables as one step: all
 * requirements are checked first, and nobody is answered in between.
 */
final class AtomicRestCatalog implements AutoCloseable {
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

  private final InMemoryCatalog behind = new InMemoryCatalog();
  private final HttpServer server;

  AtomicRestCatalog(Path warehouse) {
    behind.initialize(
        "behind",
        Map.of(
            CatalogProperties.WAREHOUSE_LOCATION,
            warehouse.toString(),
            CatalogProperties.FILE_IO_IMPL,
            "org.apache.iceberg.hadoop.HadoopFileIO"));
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new IllegalStateException("no port on loopback", e);
    }
    // one thread: requests are answered one after the other
    server.createContext("/v1/", this::handle);
    server.start();
  }

  Map<String, String> properties() {
    return Map.of(
        "type", "rest",
        "uri", "http://127.0.0.1:" + server.getAddress().getPort(),
        "rest-metrics-reporting-enabled", "false");
  }

  private void handle(HttpExchange exchange) throws IOException {
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
      case "transactions" -> commit(CommitTransactionRequestParser.fromJson(body).tableChanges());
      case "namespaces" -> path.size() < 3 ? namespace(post, path, body) : table(post, path, body);
      default -> error(404, new NoSuchTableException("no such path"));
    };
  }

  private Answer namespace(boolean post, List<String> path, String body) throws IOException {
    if (post) {
      behind.createNamespace(Namespace.of(JSON.readTree(body).path("namespace").get(0).asText()));
      return new Answer(200, body);
    }
    behind.loadNamespaceMetadata(Namespace.of(path.get(1)));
    return new Answer(200, "{\"namespace\":[\"%s\"],\"properties\":{}}".formatted(path.get(1)));
  }

  private Answer table(boolean post, List<String> path, String body) throws IOException {
    Namespace namespace = Namespace.of(path.get(1));
    if (path.size() == 3) {
      return loaded(CatalogHandlers.createTable(behind, namespace, creation(body)));
    }
    TableIdentifier name = TableIdentifier.of(namespace, path.get(3));
    return loaded(
        post
            ? CatalogHandlers.updateTable(behind, name, UpdateTableRequestParser.fromJson(body))
            : CatalogHandlers.loadTable(behind, name, RESTCatalogProperties.SnapshotMode.ALL));
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

  private Answer commit(List<UpdateTableRequest> changes) {
    for (UpdateTableRequest change : changes) {
      TableMetadata now =
          ((HasTableOperations) behind.loadTable(change.identifier())).operations().current();
      change.requirements().forEach(requirement -> requirement.validate(now));
    }
    changes.forEach(change -> CatalogHandlers.updateTable(behind, change.identifier(), change));
    return new Answer(204, "");
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
  public void close() throws IOException {
    server.stop(0);
    behind.close();
  }
}
