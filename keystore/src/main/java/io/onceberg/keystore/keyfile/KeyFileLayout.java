package io.onceberg.keystore.keyfile;

/**
 * How a key file is laid out.
 *
 * @param lead the place of the column by which its rows are sorted
 * @param filtered whether that column gets a bloom filter
 * @param pageRows rows of a page, of every column
 * @param groupRows rows of a row group, a multiple of {@code pageRows}
 * @param zstdLevel level of compression; 0 for none
 */
public record KeyFileLayout(
    int lead, boolean filtered, int pageRows, int groupRows, int zstdLevel) {
  public KeyFileLayout {
    if (pageRows < 1 || groupRows < pageRows || groupRows % pageRows != 0) {
      throw new IllegalArgumentException(
          "pages of %d rows, groups of %d".formatted(pageRows, groupRows));
    }
  }
}
