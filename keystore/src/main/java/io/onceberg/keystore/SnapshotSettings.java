package io.onceberg.keystore;

import io.onceberg.keystore.TableMarks.Role;
import java.io.Serializable;

/**
 * How many snapshots of a target's tables are kept.
 *
 * @param rowsMost how many the rows table keeps at most; 0 for all
 * @param keysMillis how long the keys and the quarantine table keep theirs
 */
public record SnapshotSettings(int rowsMost, long keysMillis) implements Serializable {
  public static final SnapshotSettings DEFAULT = new SnapshotSettings(2_000, 900_000);

  /** The most that a table of ours keeps, however young they are: every commit writes them all. */
  public static final int KEYS_MOST = 1_000;

  /** The fewest, however old they are. */
  private static final int KEYS_LEAST = 10;

  public SnapshotSettings {
    if (rowsMost < 0 || keysMillis < 0) {
      throw new IllegalArgumentException("%d snapshots, %d ms".formatted(rowsMost, keysMillis));
    }
  }

  SnapshotRetention of(Role role) {
    if (role != Role.ROWS) {
      return new SnapshotRetention(keysMillis, KEYS_LEAST, KEYS_MOST);
    }
    return rowsMost == 0
        ? SnapshotRetention.ALL
        : new SnapshotRetention(SnapshotRetention.EVER, rowsMost, rowsMost);
  }
}
