package io.onceberg.it.demo;

import java.util.List;

/** One change event written down in full, the same from the database and from Iceberg. */
final class Event {
  private Event() {}

  /**
   * The text by which events are compared.
   *
   * @param transaction the database's transaction id; empty for a snapshot row
   * @param values one for each column of the table
   * @param unavailable columns whose value did not come with the event
   */
  static String text(String op, String transaction, List<String> values, List<String> unavailable) {
    return op
        + " in "
        + transaction
        + " "
        + values
        + (unavailable.isEmpty() ? "" : " without " + unavailable);
  }
}
