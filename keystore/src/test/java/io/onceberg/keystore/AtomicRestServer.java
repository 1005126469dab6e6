package io.onceberg.keystore;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.rest.CatalogHandlers;
import org.apache.iceberg.rest.Endpoint;
import org.apache.iceberg.rest.RESTCatalogProperties;
import org.apache.iceberg.rest.requests.CommitTransactionRequestParser;
import org.apache.iceberg.rest.requests.UpdateTableRequest;
import org.apache.iceberg.rest.requests.UpdateTableRequestParser;
import org.apache.iceberg.rest.responses.ConfigResponse;
import org.apache.iceberg.rest.responses.ConfigResponseParser;
import org.apache.iceberg.rest.responses.ErrorResponse;
import org.apache.iceberg.rest.responses.ErrorResponseParser;
import org.apache.iceberg.rest.responses.LoadTableResponseParser;

/**
 * A REST catalog over a SQLite catalog that applies a commit over several tables atomically, and
 * answers wrongly when it is told to. Tables are created behind its back.
 */
final class AtomicRestServer implements AutoCloseable {
  private static final String TABLES = "/v1/namespaces/db/tables/";

  /** The tables behind the server. */
  final Lake behind;

  /** So many commits are applied and then answered with 504. */
  final AtomicInteger lostAnswers = new AtomicInteger();

  /** So many commits are answered with 502 and not applied. */
  final AtomicInteger lostRequests = new AtomicInteger();

  /** What was asked for, oldest first. */
  final List<String> requests = new CopyOnWriteArrayList<>();

  private final HttpServer server;
  private final ExecutorService pool = Executors.newCachedThreadPool();
  private final boolean advertises;

  AtomicRestServer(Path directory, boolean advertises) throws IOException {
    this.behind = Lake.open(Lake.sqlite(directory)).create();
    this.advertises = advertises;
    this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(pool);
    server.createContext("/", this::handle);
    server.start();
  }

  CatalogSettings settings(Map<String, String> more) {
    Map<String, String> properties = new HashMap<>(more);
    properties.put("type", "rest");
    properties.put("rest-metrics-reporting-enabled", "false");
    properties.put("uri", "http://127.0.0.1:" + server.getAddress().getPort());
    return Lake.settings(properties);
  }

  private void handle(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    requests.add(exchange.getRequestMethod() + " " + path);
    try {
      answer(exchange, route(exchange.getRequestMethod(), path, body));
    } catch (CommitFailedException e) {
      answer(exchange, error(409, e));
    } catch (NoSuchTableException e) {
      answer(exchange, error(404, e));
    } catch (RuntimeException e) {
      answer(exchange, error(500, e));
    }
  }

  private Answer route(String method, String path, String body) {
    if (path.equals("/v1/config")) {
      return new Answer(200, ConfigResponseParser.toJson(config()));
    }
    boolean post = method.equals("POST");
    if (post && lostRequests.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
      return error(502, new IllegalStateException("bad gateway"));
    }
    Answer answer;
    if (post && path.equals("/v1/transactions/commit")) {
      answer = commit(CommitTransactionRequestParser.fromJson(body).tableChanges());
    } else if (path.startsWith(TABLES)) {
      TableIdentifier name =
          TableIdentifier.of(Namespace.of("db"), path.substring(TABLES.length()));
      answer = post ? update(name, body) : load(name);
    } else {
      answer = error(404, new NoSuchTableException("no such path: %s", path));
    }
    return post && lostAnswers.getAndUpdate(n -> Math.max(0, n - 1)) > 0
        ? error(504, new IllegalStateException("gateway timeout"))
        : answer;
  }

  private ConfigResponse config() {
    ConfigResponse.Builder config = ConfigResponse.builder();
    if (advertises) {
      config.withEndpoints(
          List.of(
              Endpoint.V1_LOAD_TABLE, Endpoint.V1_UPDATE_TABLE, Endpoint.V1_COMMIT_TRANSACTION));
    }
    return config.build();
  }

  private Answer load(TableIdentifier name) {
    return new Answer(
        200,
        LoadTableResponseParser.toJson(
            CatalogHandlers.loadTable(
                behind.opened.catalog(), name, RESTCatalogProperties.SnapshotMode.ALL)));
  }

  private Answer update(TableIdentifier name, String body) {
    return new Answer(
        200,
        LoadTableResponseParser.toJson(
            CatalogHandlers.updateTable(
                behind.opened.catalog(), name, UpdateTableRequestParser.fromJson(body))));
  }

  private Answer commit(List<UpdateTableRequest> changes) {
    List<StagedTable> staged = new ArrayList<>();
    for (UpdateTableRequest change : changes) {
      PinnedOperations operations =
          PinnedOperations.of(
              PinnedOperations.pin(behind.opened.catalog().loadTable(change.identifier())));
      TableMetadata base = operations.current();
      change.requirements().forEach(requirement -> requirement.validate(base));
      TableMetadata.Builder next = TableMetadata.buildFrom(base);
      change.updates().forEach(update -> update.applyTo(next));
      StagedTable table =
          new StagedTable(
              change.identifier(), operations, base, next.build(), null, FileChange.NONE, null);
      staged.add(behind.opened.means().prepare(table));
    }
    CommitMeans.Move move = behind.opened.means().move(staged);
    if (move instanceof CommitMeans.Lost lost) {
      throw new CommitFailedException("%s", lost.reason());
    }
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

  private static void answer(HttpExchange exchange, Answer answer) throws IOException {
    byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().add("Content-Type", "application/json");
    exchange.sendResponseHeaders(answer.status(), body.length == 0 ? -1 : body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  @Override
  public void close() throws IOException {
    server.stop(0);
    pool.shutdownNow();
    behind.close();
  }

  private record Answer(int status, String body) {}
}
