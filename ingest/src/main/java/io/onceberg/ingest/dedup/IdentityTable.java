package io.onceberg.ingest.dedup;

import java.util.Arrays;

/** Finds the first of the frames with one identity. */
final class IdentityTable {
  private static final int FREE = -1;

  private final Chunks chunks;
  private final Pointers frames;
  private final Pointers hashes;
  private final int[] slots;
  private final Frame mine = new Frame();
  private final Frame other = new Frame();

  /**
   * Has none yet.
   *
   * @param hashes of the identities: most comparisons need no look at the frames
   */
  IdentityTable(Chunks chunks, Pointers frames, Pointers hashes) {
    this.chunks = chunks;
    this.frames = frames;
    this.hashes = hashes;
    this.slots = new int[Math.max(16, Integer.highestOneBit(frames.size()) * 4)];
    Arrays.fill(slots, FREE);
  }

  /** Takes a frame; the first that was taken of its identity, which may be itself. */
  int take(int frame) {
    int mask = slots.length - 1;
    int slot = (int) hashes.at(frame) & mask;
    while (slots[slot] != FREE && !isSame(frame, slots[slot])) {
      slot = (slot + 1) & mask;
    }
    if (slots[slot] == FREE) {
      slots[slot] = frame;
    }
    return slots[slot];
  }

  private boolean isSame(int frame, int first) {
    return hashes.at(frame) == hashes.at(first)
        && chunks.move(mine, frames.at(frame)).sameIdentity(chunks.move(other, frames.at(first)));
  }
}
