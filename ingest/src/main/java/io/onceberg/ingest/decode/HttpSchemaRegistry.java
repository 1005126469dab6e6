package io.onceberg.ingest.decode;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.onceberg.error.Distrust;
import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.Schema;
import org.apache.kafka.common.config.ConfigException;
import org.jspecify.annotations.Nullable;

/**
 * A schema registry that speaks Confluent's HTTP protocol. One per process and settings: schemas
 * never change once they have an id, so each is asked for once.
 */
final class HttpSchemaRegistry implements SchemaRegistry {
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
  private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(15);
  private static final int SCHEMA_NOT_FOUND = 40403;
  private static final String CONTENT_TYPE = "application/vnd.schemaregistry.v1+json";
  private static final HttpClient HTTP =
      HttpClient.newBuilder().connectTimeout(CONNECT_TIMEOUT).build();
  private static final Map<Access, HttpSchemaRegistry> OPEN = new ConcurrentHashMap<>();

  /** Where registries are and what they are told; several are tried in turn. */
  private record Access(List<String> urls, @Nullable String authorization) {}

  private final Access access;
  private final Map<Integer, Schema> schemas = new ConcurrentHashMap<>();
  private final Map<String, Integer> ids = new ConcurrentHashMap<>();

  private HttpSchemaRegistry(Access access) {
    this.access = access;
  }

  /**
   * The registry that a converter's settings name.
   *
   * @throws ConfigException when they name none
   */
  static SchemaRegistry of(Map<String, ?> settings) {
    String urls = setting(settings, "schema.registry.url");
    if (urls == null || urls.isBlank()) {
      throw new ConfigException("schema.registry.url", urls, "names no registry");
    }
    List<URI> addresses = List.of(urls.split(",")).stream().map(u -> address(u.strip())).toList();
    String inUrl =
        addresses.stream().map(URI::getUserInfo).filter(Objects::nonNull).findFirst().orElse(null);
    return OPEN.computeIfAbsent(
        new Access(
            addresses.stream().map(HttpSchemaRegistry::withoutUser).toList(),
            authorization(settings, inUrl)),
        HttpSchemaRegistry::new);
  }

  /** Nothing of an address that cannot be read is told: a password may be what spoils it. */
  private static URI address(String url) {
    URI uri;
    try {
      uri = new URI(url);
    } catch (URISyntaxException e) {
      throw new ConfigException("schema.registry.url: no address: " + e.getReason());
    }
    boolean http =
        "http".equalsIgnoreCase(uri.getScheme()) || "https".equalsIgnoreCase(uri.getScheme());
    if (!http || uri.getHost() == null) {
      throw new ConfigException("schema.registry.url is no http:// or https:// address");
    }
    return uri;
  }

  /** A password in an address would be shown wherever the address is. */
  private static String withoutUser(URI uri) {
    String port = uri.getPort() < 0 ? "" : ":" + uri.getPort();
    String path = uri.getRawPath().replaceFirst("/$", "");
    return uri.getScheme() + "://" + uri.getHost() + port + path;
  }

  private static @Nullable String authorization(Map<String, ?> settings, @Nullable String inUrl) {
    String token = setting(settings, "bearer.auth.token");
    if (token != null) {
      return "Bearer " + token;
    }
    String user = setting(settings, "basic.auth.user.info");
    String older = setting(settings, "schema.registry.basic.auth.user.info");
    String given = user == null ? older : user;
    String credentials = given == null ? inUrl : given;
    return credentials == null
        ? null
        : "Basic "
            + Base64.getEncoder().encodeToString(credentials.getBytes(StandardCharsets.UTF_8));
  }

  private static @Nullable String setting(Map<String, ?> settings, String name) {
    Object value = settings.get(name);
    return value == null ? null : value.toString();
  }

  @Override
  public Schema byId(int id) {
    Schema known = schemas.get(id);
    if (known == null) {
      known = fetch(id);
      schemas.put(id, known);
    }
    return known;
  }

  private Schema fetch(int id) {
    HttpResponse<String> response = call("/schemas/ids/" + id, null);
    if (response.statusCode() == 404 && errorCode(response) == SCHEMA_NOT_FOUND) {
      throw new RefusedValue(
          ErrorCode.UNKNOWN_SCHEMA_ID, "the registry does not know schema id " + id);
    }
    JsonNode body = body(response);
    if (!body.path("schemaType").asText("AVRO").equals("AVRO")) {
      throw RefusedValue.undecodable(
          "schema id %d is %s, not Avro".formatted(id, body.path("schemaType").asText()));
    }
    try {
      return parser().parse(body.path("schema").asText());
    } catch (AvroRuntimeException e) {
      throw RefusedValue.undecodable("schema id %d: %s".formatted(id, e.getMessage()));
    }
  }

  private static Schema.Parser parser() {
    return new Schema.Parser(org.apache.avro.NameValidator.NO_VALIDATION)
        .setValidateDefaults(false);
  }

  @Override
  public int register(String subject, Schema schema) {
    return ids.computeIfAbsent(subject + " " + schema, key -> post(subject, schema));
  }

  private int post(String subject, Schema schema) {
    String body = JsonTokens.MAPPER.createObjectNode().put("schema", schema.toString()).toString();
    String path = "/subjects/" + URLEncoder.encode(subject, StandardCharsets.UTF_8) + "/versions";
    return body(call(path, body)).path("id").asInt();
  }

  private HttpResponse<String> call(String path, @Nullable String body) {
    OncebergException last = null;
    for (String base : access.urls()) {
      try {
        HttpResponse<String> response =
            HTTP.send(request(base + path, body), HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() < 500 && response.statusCode() != 429) {
          return response;
        }
        last = unreachable(base, "HTTP status " + response.statusCode(), null);
      } catch (IOException e) {
        last = Distrust.isCauseOf(e) ? distrusted(base, e) : unreachable(base, e.toString(), e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        last = unreachable(base, "interrupted", e);
        break;
      }
    }
    throw last == null ? unreachable("none", "no address", null) : last;
  }

  private HttpRequest request(String url, @Nullable String body) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(url))
            .timeout(REQUEST_TIMEOUT)
            .header("Accept", CONTENT_TYPE);
    if (access.authorization() != null) {
      request.header("Authorization", access.authorization());
    }
    return body == null
        ? request.build()
        : request
            .header("Content-Type", CONTENT_TYPE)
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
  }

  private static OncebergException distrusted(String base, IOException cause) {
    return new OncebergException(
        ErrorCode.REGISTRY_REFUSED,
        "registry %s: its TLS certificate is not trusted: %s; give the JVM a trust store that holds"
                .formatted(base, cause.getMessage())
            + " its authority, see docs/security.md",
        cause);
  }

  private static OncebergException unreachable(String base, String why, @Nullable Exception cause) {
    return new OncebergException(
        ErrorCode.REGISTRY_UNREACHABLE, "registry %s: %s".formatted(base, why), cause);
  }

  private JsonNode body(HttpResponse<String> response) {
    if (response.statusCode() / 100 != 2) {
      throw new OncebergException(
          ErrorCode.REGISTRY_REFUSED,
          "registry %s answers %d: %s; check schema.registry.url and its credentials"
              .formatted(response.uri(), response.statusCode(), response.body()));
    }
    return json(response);
  }

  private static int errorCode(HttpResponse<String> response) {
    try {
      return JsonTokens.MAPPER.readTree(response.body()).path("error_code").asInt();
    } catch (JsonProcessingException e) {
      return 0; // some other server's page
    }
  }

  private static JsonNode json(HttpResponse<String> response) {
    try {
      return JsonTokens.MAPPER.readTree(response.body());
    } catch (JsonProcessingException e) {
      throw new OncebergException(
          ErrorCode.REGISTRY_REFUSED,
          "registry %s answers no JSON; check schema.registry.url".formatted(response.uri()),
          e);
    }
  }
}
