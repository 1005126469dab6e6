package io.onceberg.it.registry;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A schema registry in memory, on loopback, that speaks as much of Confluent's HTTP protocol as
 * readers and writers need: {@code GET /schemas/ids/{id}} and {@code POST
 * /subjects/{subject}/versions}.
 */
public final class TestRegistry implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();

  private HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Map<String, Integer> ids = new LinkedHashMap<>();
  private final AtomicInteger requests = new AtomicInteger();
  private final int port;
  private final @Nullable String authorization;
  private volatile boolean failing;
  private volatile CountDownLatch gate = new CountDownLatch(0);

  private TestRegistry(HttpServer server, @Nullable String authorization) {
    this.server = server;
    this.port = server.getAddress().getPort();
    this.authorization = authorization;
  }

  /** Starts a registry that asks for no credentials. */
  public static TestRegistry start() {
    return start(0, null);
  }

  /**
   * Starts a registry.
   *
   * @param port 0 for any free one
   * @param userInfo {@code user:password} that clients must give; null for none
   */
  public static TestRegistry start(int port, @Nullable String userInfo) {
    String authorization =
        userInfo == null
            ? null
            : "Basic "
                + Base64.getEncoder().encodeToString(userInfo.getBytes(StandardCharsets.UTF_8));
    TestRegistry registry = new TestRegistry(bound(port), authorization);
    registry.listen();
    return registry;
  }

  private static HttpServer bound(int port) {
    try {
      return HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    } catch (IOException e) {
      throw new IllegalStateException("no port for the registry on loopback", e);
    }
  }

  private void listen() {
    server.createContext("/", this::handle);
    server.setExecutor(threads);
    server.start();
  }

  /** Stops listening; {@link #up} brings it back with all it knew. */
  public void down() {
    server.stop(0);
  }

  /** Listens again on the same port. */
  public void up() {
    server = bound(port());
    listen();
  }

  /** The address that clients are given. */
  public String url() {
    return "http://127.0.0.1:" + port();
  }

  public int port() {
    return port;
  }

  /** How many requests came so far. */
  public int requests() {
    return requests.get();
  }

  /** Whether every request from now on is answered by status 503. */
  public void fail(boolean fails) {
    failing = fails;
  }

  /** Whether requests from now on wait for their answers until this is taken back. */
  public void hang(boolean hangs) {
    gate.countDown();
    gate = new CountDownLatch(hangs ? 1 : 0);
  }

  private void handle(HttpExchange exchange) throws IOException {
    requests.incrementAndGet();
    try (exchange) {
      gate.await();
      answerNow(exchange);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void answerNow(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    boolean known =
        authorization == null
            || authorization.equals(exchange.getRequestHeaders().getFirst("Authorization"));
    if (failing) {
      answer(exchange, 503, error(50301, "failing on purpose"));
    } else if (!known) {
      answer(exchange, 401, error(40101, "Unauthorized"));
    } else if (path.startsWith("/schemas/ids/")) {
      schema(exchange, path.substring("/schemas/ids/".length()));
    } else if (path.startsWith("/subjects/") && exchange.getRequestMethod().equals("POST")) {
      register(exchange);
    } else {
      answer(exchange, 404, error(404, "HTTP 404 Not Found"));
    }
  }

  private synchronized void schema(HttpExchange exchange, String id) throws IOException {
    for (Map.Entry<String, Integer> entry : ids.entrySet()) {
      if (entry.getValue().toString().equals(id)) {
        answer(exchange, 200, JSON.createObjectNode().put("schema", entry.getKey()));
        return;
      }
    }
    answer(exchange, 404, error(40403, "Schema " + id + " not found"));
  }

  private synchronized void register(HttpExchange exchange) throws IOException {
    JsonNode body = JSON.readTree(exchange.getRequestBody());
    int next = ids.size() + 1;
    int id = ids.computeIfAbsent(body.path("schema").asText(), schema -> next);
    answer(exchange, 200, JSON.createObjectNode().put("id", id));
  }

  private static ObjectNode error(int code, String message) {
    return JSON.createObjectNode().put("error_code", code).put("message", message);
  }

  private static void answer(HttpExchange exchange, int status, ObjectNode body)
      throws IOException {
    byte[] bytes = body.toString().getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().add("Content-Type", "application/vnd.schemaregistry.v1+json");
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
