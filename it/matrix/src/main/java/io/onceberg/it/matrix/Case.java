package io.onceberg.it.matrix;

/** Small inputs that made other systems lose, repeat or corrupt data. */
public enum Case {
  A1("killed after the table commit, before any offset is acknowledged"),
  A2("the commit took effect and its response is lost"),
  A3("the commit fails: nothing may have been acknowledged before it"),
  A4("a topic is deleted and made again under stored offsets"),
  A5("retention has passed the stored offset"),
  A6("progress goes backwards when an older state is restored"),
  A7("a batch that was committed comes again"),
  A8("insert, ADD COLUMN and update of one row within one batch"),
  A9("someone else compacts or expires between our read and our commit"),
  A10("the target table, or a column of it, goes while the daemon runs"),
  A11("partitions are added between two batches"),
  A12("every snapshot that carries the ledger is expired"),
  A13("commits fail for long while the process runs"),
  B1("COPY: a thousand rows share one LSN"),
  B2("LSNs fall across transactions"),
  B3("two events of one INSERT"),
  B4("a snapshot in mid-stream"),
  B5("the replication slot is dropped and made again, with changes in between"),
  B6("a changed primary key: delete and create at one LSN"),
  B7("two identical rows of a table without a key"),
  B8("an upgraded connector repeats events with another version and other times"),
  B9("MySQL positions are numbers: 999 and 1000, mysql-bin.999999 and mysql-bin.1000000"),
  B10("SQL Server rows share commit_lsn"),
  B11("null in a business key"),
  B12("one business key, two payloads"),
  B13("a composite key whose timestamp is text in one batch and a timestamp in the table"),
  B14("an event older than the key horizon is replayed");

  private final String meaning;

  Case(String meaning) {
    this.meaning = meaning;
  }

  String meaning() {
    return meaning;
  }
}
