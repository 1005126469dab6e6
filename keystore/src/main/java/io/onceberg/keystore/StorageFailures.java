package io.onceberg.keystore;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.iceberg.exceptions.NotFoundException;

/** Tells failures of the storage under the tables from faults of the program. */
public final class StorageFailures {
  private StorageFailures() {}

  /**
   * Whether files could not be read or written: storage does not answer, is full or read-only, or
   * maintenance removed a file between planning and reading. The same batch may work when it is
   * built again on the tables as they are then.
   */
  public static boolean isOne(Throwable thrown) {
    return thrown instanceof IOException
        || thrown instanceof UncheckedIOException
        || thrown instanceof NotFoundException;
  }
}
