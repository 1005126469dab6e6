package io.onceberg.keystore;

import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.io.OutputFileFactory;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.jspecify.annotations.Nullable;

/**
 * A sorted run of keys of one day, however long: cut into files that follow each other in the order
 * of the run, so that a key can lie in one of them only.
 */
final class KeyRuns {
  private final TableImage image;
  private final String lead;
  private final int day;
  private final long mostRows;
  private final OutputFileFactory places;
  private final List<DataFile> finished = new ArrayList<>();
  private @Nullable KeyRun open;
  private long rows;

  /**
   * Opens no file yet.
   *
   * @param lead the column by which rows come sorted
   * @param day days since the epoch
   * @param mostRows of a file
   */
  KeyRuns(TableImage image, String lead, int day, long mostRows, OutputFileFactory places) {
    this.image = image;
    this.lead = lead;
    this.day = day;
    this.mostRows = mostRows;
    this.places = places;
  }

  /** Adds the next identity of the run; it must not change until the run is finished. */
  void add(UnsafeRow identity, long payloadHash) {
    KeyRun run = open;
    if (run == null || rows == mostRows) {
      finishOpen();
      run = new KeyRun(image, lead, day, places);
      open = run;
    }
    run.add(identity, payloadHash);
    rows++;
  }

  private void finishOpen() {
    if (open != null) {
      finished.addAll(open.finish());
      open = null;
    }
    rows = 0;
  }

  List<DataFile> finish() {
    finishOpen();
    return List.copyOf(finished);
  }

  /** Closes and deletes what was written. */
  void abort() {
    if (open != null) {
      open.abort();
    }
    finished.forEach(file -> image.keys.io().deleteFile(file.location()));
  }
}
