package io.onceberg.ingest.source;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.utils.Utils;

/** Gives a Kafka client's exception its number. */
final class KafkaErrors {
  private KafkaErrors() {}

  /**
   * Numbers a failure.
   *
   * @param doing what was tried, such as "listing the offsets of shop.orders"
   * @param servers the brokers asked, as the user wrote them
   */
  static OncebergException numbered(Exception failure, String doing, String servers) {
    Throwable cause = unwrap(failure);
    if (cause instanceof OncebergException numbered) {
      return numbered;
    }
    if (isConfig(cause) && !namesNoHost(servers)) {
      return new OncebergException(
          ErrorCode.INVALID_SETTING,
          "Kafka's client refuses the settings under kafka.*: " + deepest(cause).getMessage(),
          failure);
    }
    if (isRefusal(cause)) {
      return new OncebergException(
          ErrorCode.KAFKA_REFUSED,
          "%s at %s: %s; check %s"
              .formatted(
                  doing,
                  servers,
                  cause.getMessage(),
                  cause instanceof SslAuthenticationException
                      ? "kafka.ssl.truststore.location and that the certificate names the host"
                      : "the credentials, the ACLs and kafka.security.protocol"),
          failure);
    }
    return new OncebergException(
        ErrorCode.KAFKA_UNREACHABLE,
        "%s at %s: %s; check kafka.bootstrap.servers and that the brokers are up"
            .formatted(doing, servers, cause.getMessage()),
        failure);
  }

  /**
   * Whether the servers are written well but none has an address. Kafka's client calls that a wrong
   * setting, though a name may only not be known yet.
   */
  private static boolean namesNoHost(String servers) {
    return Arrays.stream(servers.split(",", -1))
        .map(String::strip)
        .allMatch(
            server ->
                Utils.getPort(server) != null
                    && new InetSocketAddress(Utils.getHost(server), 1).isUnresolved());
  }

  private static boolean isConfig(Throwable cause) {
    return cause instanceof ConfigException || cause.getCause() instanceof ConfigException;
  }

  private static boolean isRefusal(Throwable cause) {
    return cause instanceof AuthenticationException
        || cause instanceof AuthorizationException
        || cause instanceof UnsupportedVersionException;
  }

  private static Throwable unwrap(Throwable failure) {
    Throwable cause = failure.getCause();
    boolean wrapper =
        failure instanceof ExecutionException || failure instanceof CompletionException;
    return wrapper && cause != null ? cause : failure;
  }

  private static Throwable deepest(Throwable failure) {
    Throwable cause = failure.getCause();
    return cause == null ? failure : deepest(cause);
  }
}
