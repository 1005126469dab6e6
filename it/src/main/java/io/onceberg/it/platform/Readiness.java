package io.onceberg.it.platform;

import io.onceberg.it.stack.Deadline;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.admin.Admin;

/** Whether a service answers, asked the way its clients ask. */
final class Readiness {
  private static final Duration LONGEST_START = Duration.ofMinutes(2);
  private static final Duration LONGEST_ANSWER = Duration.ofSeconds(5);
  private static final HttpClient HTTP =
      HttpClient.newBuilder().connectTimeout(LONGEST_ANSWER).build();

  private Readiness() {}

  /**
   * Waits until a service answers.
   *
   * @param alive whether there is still something that could
   */
  static void await(Stack stack, Service service, BooleanSupplier alive) {
    Deadline deadline = Deadline.in(LONGEST_START);
    while (!answers(stack, service)) {
      if (!alive.getAsBoolean()) {
        throw new PlatformException(
            "%s ended by itself:%n%s".formatted(service, stack.tail(service)));
      }
      if (!deadline.pause()) {
        throw new PlatformException(
            "%s does not answer after %d s:%n%s"
                .formatted(service, LONGEST_START.toSeconds(), stack.tail(service)));
      }
    }
  }

  private static boolean answers(Stack stack, Service service) {
    Address address = stack.outside(service);
    return switch (service) {
      case POSTGRES -> databaseAnswers(stack);
      case KAFKA -> brokerAnswers(address);
      case OBJECT_STORE -> status(address.http("/")) > 0;
      case CATALOG -> status(address.http("/v1/config")) == 200;
      case CONNECT -> status(address.http("/connectors")) == 200;
    };
  }

  private static boolean databaseAnswers(Stack stack) {
    try (Connection connection = stack.connect("postgres")) {
      return connection.isValid((int) LONGEST_ANSWER.toSeconds());
    } catch (SQLException e) {
      return false; // not yet
    }
  }

  private static boolean brokerAnswers(Address address) {
    try (Admin admin =
        Admin.create(Map.<String, Object>of("bootstrap.servers", address.hostAndPort()))) {
      admin.describeCluster().nodes().get(LONGEST_ANSWER.toSeconds(), TimeUnit.SECONDS);
      return true;
    } catch (ExecutionException | TimeoutException e) {
      return false; // not yet
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new PlatformException("interrupted", e);
    }
  }

  /** The status of an answer; 0 for none. */
  private static int status(URI uri) {
    try {
      HttpRequest request = HttpRequest.newBuilder(uri).timeout(LONGEST_ANSWER).build();
      return HTTP.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
    } catch (IOException e) {
      return 0; // not yet
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new PlatformException("interrupted", e);
    }
  }
}
