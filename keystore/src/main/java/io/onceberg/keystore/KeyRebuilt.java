package io.onceberg.keystore;

import java.time.LocalDate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A keys table that was made again.
 *
 * @param keysBefore what its metadata said before, whether its files were there or not
 * @param bytes of the new files
 * @param foreignRows rows that other writers made, which have no identity
 * @param repeated rows whose identity another row has
 * @param examples some of the repeated rows
 * @param droppedBefore the first day whose keys were made, for there are older rows; null when keys
 *     of all rows were
 */
public record KeyRebuilt(
    long keysBefore,
    long filesBefore,
    long keys,
    int files,
    long bytes,
    long foreignRows,
    long repeated,
    List<Repeated> examples,
    @Nullable LocalDate droppedBefore) {
  /** A row whose identity was met before, and where its record lay in Kafka. */
  public record Repeated(LocalDate loadedDate, int partition, long offset) {}

  public KeyRebuilt {
    examples = List.copyOf(examples);
  }
}
