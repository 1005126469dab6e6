package io.onceberg.it.bench.keys;

/** A contender in a process of its own, with a table of the target's rows. */
abstract class PeerContender implements Contender, AutoCloseable {
  static final String TABLE = "events";

  private final Measure measure;
  private final EventNumbers numbers;
  private final BatchFiles files;
  private final PeerProcess spark;
  private int expected;

  PeerContender(Measure measure, EventNumbers numbers, BatchFiles files, PeerProcess spark) {
    this.measure = measure;
    this.numbers = numbers;
    this.files = files;
    this.spark = spark;
  }

  PeerProcess spark() {
    return spark;
  }

  @Override
  public Measure measure() {
    return measure;
  }

  @Override
  public void prepare(Duplicates duplicates, int batch) {
    spark.begin("taking a batch with %d %% duplicates", duplicates.percent());
    spark.view("batch", files.pattern(duplicates, batch));
    expected = numbers.novel(duplicates);
  }

  @Override
  public void settle() {
    long rows = Long.parseLong(spark.sql("SELECT count(*) FROM " + TABLE));
    Contender.check(measure, "rows added", expected, rows - numbers.keys());
    putBack();
  }

  /** Makes the table what it was before the batch. */
  abstract void putBack();

  @Override
  public void close() {
    spark.close();
  }
}
