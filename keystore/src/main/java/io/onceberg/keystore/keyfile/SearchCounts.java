package io.onceberg.keystore.keyfile;

/** What searches read. Used by one thread. */
public final class SearchCounts {
  private int indexes;
  private int leadPages;
  private int rowPages;

  void indexRead() {
    indexes++;
  }

  void leadPagesRead(int pages) {
    leadPages += pages;
  }

  void rowPagesRead(int pages) {
    rowPages += pages;
  }

  /** How many indexes of files were not in memory. */
  public int indexes() {
    return indexes;
  }

  /** How many pages of lead columns were read to find rows. */
  public int leadPages() {
    return leadPages;
  }

  /** How many pages, of all columns, were read for rows whose lead value is in the batch. */
  public int rowPages() {
    return rowPages;
  }
}
