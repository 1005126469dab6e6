package io.onceberg.it.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.apache.avro.Schema;

/** Answers {@code GET /schemas/ids/{id}} as a schema registry does, for a fixed list of schemas. */
final class BenchRegistry implements AutoCloseable {
  static final int KEY_ID = 1;
  static final int VALUE_ID = 2;
  private static final String PATH = "/schemas/ids/";

  private final HttpServer server;
  private final List<Schema> schemas =
      List.of(AvroSchemas.of(OrderSchemas.KEY), AvroSchemas.of(OrderSchemas.ENVELOPE));

  BenchRegistry() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.createContext(PATH, this::answer);
    server.start();
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  private void answer(HttpExchange exchange) throws IOException {
    String id = exchange.getRequestURI().getPath().substring(PATH.length());
    boolean known = id.equals("1") || id.equals("2");
    String body =
        known
            ? JsonNodeFactory.instance
                .objectNode()
                .put("schema", schemas.get(Integer.parseInt(id) - 1).toString())
                .toString()
            : "{\"error_code\":40403,\"message\":\"Schema not found\"}";
    byte[] bytes = body.getBytes(UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/vnd.schemaregistry.v1+json");
    exchange.sendResponseHeaders(known ? 200 : 404, bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
