package io.onceberg.keystore.keyfile;

/** Rows of a row group whose lead value is one of the batch's, and which; in order of the rows. */
final class Matches {
  private final int[] rows;
  private final int[] values;
  private int count;

  /** Takes room for so many rows at most. */
  Matches(int most) {
    this.rows = new int[most];
    this.values = new int[most];
  }

  void add(int row, int value) {
    rows[count] = row;
    values[count] = value;
    count++;
  }

  int count() {
    return count;
  }

  /** Forgets what was added after there were this many. */
  void cutTo(int before) {
    count = before;
  }

  /** The rows; only the first ones mean something. */
  int[] rows() {
    return rows;
  }

  /** The number of a match's value among the batch's values. */
  int value(int match) {
    return values[match];
  }
}
