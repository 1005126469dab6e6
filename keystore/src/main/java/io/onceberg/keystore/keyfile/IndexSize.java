package io.onceberg.keystore.keyfile;

import io.onceberg.keystore.keyfile.FileIndex.Lead;
import io.onceberg.keystore.keyfile.FileIndex.RowGroup;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.iceberg.io.InputFile;

/**
 * How much room the index of a key file takes.
 *
 * @param filterBytes bytes of the file that are bloom filters
 * @param memoryBytes about how many bytes of memory its index takes while it is kept there
 */
public record IndexSize(long filterBytes, long memoryBytes) {
  /**
   * Reads the index of a file, as the first search in it does, and keeps nothing.
   *
   * @param length of the file in bytes
   * @param rows in the file
   * @throws UnknownLayoutException when no index is made of files of this form
   */
  public static IndexSize of(InputFile file, long length, long rows, KeyColumns columns) {
    try {
      FileIndex index = IndexReading.read(file, length, rows, columns);
      long filters = 0;
      for (RowGroup group : index.rowGroups()) {
        for (Lead lead : group.leads()) {
          filters += lead == null || lead.filter() == null ? 0 : lead.filter().weight();
        }
      }
      return new IndexSize(filters, index.weight());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read key file " + file.location(), e);
    }
  }
}
