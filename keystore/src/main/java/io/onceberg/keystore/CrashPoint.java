package io.onceberg.keystore;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The steps of the protocol at which a process may die, by name. Armed by the system property
 * {@code onceberg.crash.at=NAME} or {@code NAME:n} (the n-th time it is reached); the process then
 * ends as under {@code kill -9}: no shutdown hook, no finally block.
 */
public enum CrashPoint {
  /** A batch's records are being read; nothing is written yet. */
  READ,
  /** The job is done; its data files lie in storage, the driver knows them. */
  JOB_DONE,
  /** A commit begins: data files are there, no metadata of the batch is. */
  FILES_STAGED,
  /** Manifests and metadata are written; no table has moved. */
  METADATA_WRITTEN,
  /** Roll-forward only: the rows table has moved, the others have not. */
  ROWS_COMMITTED,
  /** Roll-forward only: rows and quarantine have moved, the keys table has not. */
  QUARANTINE_COMMITTED,
  /** All tables have moved; the program has not noticed yet. */
  POINTERS_MOVED,
  /** The commit is known; its offsets are not acknowledged to Kafka yet. */
  BEFORE_ACK;

  /** The property that arms one point. */
  public static final String PROPERTY = "onceberg.crash.at";

  /** The exit status of a process that died at one, as after {@code kill -9}. */
  public static final int EXIT_STATUS = 137;

  private static final @Nullable Armed ARMED = Armed.parse(System.getProperty(PROPERTY));

  /** Says that the step is reached; does not return when this is where the process is to die. */
  public void reached() {
    if (ARMED != null && ARMED.point == this && ARMED.left.decrementAndGet() == 0) {
      Runtime.getRuntime().halt(EXIT_STATUS);
    }
  }

  private record Armed(CrashPoint point, AtomicInteger left) {
    static @Nullable Armed parse(@Nullable String text) {
      if (text == null || text.isEmpty()) {
        return null;
      }
      int colon = text.indexOf(':');
      return colon < 0
          ? new Armed(valueOf(text), new AtomicInteger(1))
          : new Armed(
              valueOf(text.substring(0, colon)),
              new AtomicInteger(Integer.parseInt(text.substring(colon + 1))));
    }
  }
}
