package io.onceberg.keystore;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Set;
import org.apache.iceberg.exceptions.NotFoundException;

/** Tells failures of the storage under the tables from faults of the program. */
public final class StorageFailures {
  /** What the clients of object stores throw; they are on the class path only where one is used. */
  private static final Set<String> CLIENTS =
      Set.of(
          "software.amazon.awssdk.core.exception.SdkException",
          "com.google.cloud.storage.StorageException",
          "com.azure.core.exception.AzureException");

  private StorageFailures() {}

  /**
   * Whether files could not be read or written: storage does not answer, is full or read-only, or
   * maintenance removed a file between planning and reading. An object store that refuses the
   * client's key is one, too. The same batch may work when it is built again on the tables as they
   * are then.
   */
  public static boolean isOne(Throwable thrown) {
    return thrown instanceof IOException
        || thrown instanceof UncheckedIOException
        || thrown instanceof NotFoundException
        || isOfObjectStore(thrown);
  }

  /** Whether the client of an object store threw it. */
  static boolean isOfObjectStore(Throwable thrown) {
    for (Class<?> type = thrown.getClass(); type != null; type = type.getSuperclass()) {
      if (CLIENTS.contains(type.getName())) {
        return true;
      }
    }
    return false;
  }
}
