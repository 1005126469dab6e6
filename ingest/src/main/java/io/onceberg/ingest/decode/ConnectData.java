package io.onceberg.ingest.decode;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.storage.Converter;

/** Calls a Kafka Connect converter and tells bad bytes from a registry that is down. */
final class ConnectData {
  private ConnectData() {}

  /**
   * The record's data.
   *
   * @throws RefusedValue when the bytes cannot be decoded
   * @throws OncebergException when a registry does not answer
   */
  // A converter is foreign code; whatever it throws for one record concerns that record alone.
  static SchemaAndValue of(Converter converter, String topic, byte[] bytes) {
    try {
      return converter.toConnectData(topic, bytes);
    } catch (OncebergException | RefusedValue e) {
      throw e;
    } catch (RuntimeException e) {
      if (unreachable(e)) {
        throw new OncebergException(
            ErrorCode.REGISTRY_UNREACHABLE,
            "%s on topic %s: %s".formatted(converter.getClass().getName(), topic, rootMessage(e)),
            e);
      }
      throw RefusedValue.undecodable(rootMessage(e));
    }
  }

  static void close(Converter converter) {
    try {
      converter.close();
    } catch (IOException e) {
      throw new UncheckedIOException("closing " + converter.getClass().getName(), e);
    }
  }

  private static boolean unreachable(Exception e) {
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof org.apache.kafka.common.errors.RetriableException
          || cause instanceof org.apache.kafka.connect.errors.RetriableException
          || cause instanceof java.net.SocketException
          || cause instanceof java.net.UnknownHostException
          || cause instanceof java.net.SocketTimeoutException
          || cause instanceof java.net.http.HttpTimeoutException) {
        return true;
      }
    }
    return false;
  }

  private static String rootMessage(Exception e) {
    Throwable root = e;
    while (root.getCause() != null && root.getCause() != root) {
      root = root.getCause();
    }
    return root instanceof IOException || root.getMessage() == null
        ? root.toString()
        : root.getMessage();
  }
}
