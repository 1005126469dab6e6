package io.onceberg.it.security;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * Speaks TLS before a server that does not. It may ask for a bearer token, which it gives, as
 * Iceberg's REST protocol has it, to who shows an OAuth2 client's credential.
 */
final class TlsFront implements AutoCloseable {
  private final HttpsServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final HttpClient client = HttpClient.newHttpClient();
  private final URI upstream;
  private final @Nullable String secret;
  private final @Nullable String token;

  /**
   * Starts the front.
   *
   * @param upstream the server behind it
   * @param secret of the OAuth2 client; null to ask for no token and pass everything on
   * @param token that every request must carry then
   */
  TlsFront(
      Certificates certificates, URI upstream, @Nullable String secret, @Nullable String token) {
    this.upstream = upstream;
    this.secret = secret;
    this.token = token;
    try {
      server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.setHttpsConfigurator(new HttpsConfigurator(certificates.server()));
    server.createContext("/", this::handle);
    server.setExecutor(threads);
    server.start();
  }

  int port() {
    return server.getAddress().getPort();
  }

  String url() {
    return "https://127.0.0.1:" + port();
  }

  private void handle(HttpExchange exchange) throws IOException {
    byte[] body = exchange.getRequestBody().readAllBytes();
    String given = exchange.getRequestHeaders().getFirst("Authorization");
    try (exchange) {
      if (secret != null && exchange.getRequestURI().getPath().endsWith("/oauth/tokens")) {
        boolean known =
            new String(body, StandardCharsets.UTF_8).contains("client_secret=" + secret);
        answer(
            exchange,
            known ? 200 : 401,
            known
                ? "{\"access_token\":\"%s\",\"token_type\":\"bearer\",\"expires_in\":3600}"
                    .formatted(token)
                : "{\"error\":\"invalid_client\",\"error_description\":\"who are you?\"}");
      } else if (token != null && !("Bearer " + token).equals(given)) {
        answer(
            exchange,
            401,
            "{\"error\":{\"message\":\"no valid token\",\"type\":\"NotAuthorizedException\",\"code\":401}}");
      } else {
        pass(exchange, body, given);
      }
    }
  }

  private static void answer(HttpExchange exchange, int status, String json) throws IOException {
    byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().add("Content-Type", "application/json");
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  private void pass(HttpExchange exchange, byte[] body, @Nullable String authorization)
      throws IOException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(upstream.resolve(exchange.getRequestURI().toString()))
            .method(
                exchange.getRequestMethod(),
                body.length == 0
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofByteArray(body));
    if (authorization != null) {
      request.header("Authorization", authorization);
    }
    try {
      HttpResponse<byte[]> response =
          client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
      response
          .headers()
          .firstValue("Content-Type")
          .ifPresent(type -> exchange.getResponseHeaders().add("Content-Type", type));
      int length = response.body().length;
      exchange.sendResponseHeaders(response.statusCode(), length == 0 ? -1 : length);
      exchange.getResponseBody().write(response.body());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
