package io.onceberg.keystore;

import java.nio.file.Path;

/**
 * A process that commits two batches, or dies at the crash point that its system property names.
 */
final class CrashingWriter {
  private CrashingWriter() {}

  public static void main(String[] arguments) throws Exception {
    Path directory = Path.of(arguments[1]);
    CatalogSettings settings =
        arguments[0].equals("jdbc") ? Lake.sqlite(directory) : Lake.hadoop(directory);
    try (Lake lake = Lake.open(settings).create()) {
      for (long id = 1; id <= 2; id++) {
        Standing base = lake.standing();
        Lake.Batch batch = Lake.batch(base.ledger(), 1);
        lake.commit(base, batch.id(), batch.after(), lake.filesWithQuarantine(id));
      }
    }
  }
}
