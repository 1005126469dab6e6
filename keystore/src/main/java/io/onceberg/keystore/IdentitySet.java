package io.onceberg.keystore;

import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/** The identities of a batch, found by their bytes. */
final class IdentitySet {
  private static final int FREE = -1;

  private final List<UnsafeRow> identities;
  private final int[] slots;
  private final int[] hashes;
  private final int mask;

  IdentitySet(List<UnsafeRow> identities) {
    this.identities = identities;
    int capacity = Math.max(16, Integer.highestOneBit(Math.max(1, identities.size())) << 2);
    this.slots = new int[capacity];
    this.hashes = new int[identities.size()];
    this.mask = capacity - 1;
    Arrays.fill(slots, FREE);
    for (int i = 0; i < identities.size(); i++) {
      hashes[i] = identities.get(i).hashCode();
      int slot = hashes[i] & mask;
      while (slots[slot] != FREE) {
        slot = (slot + 1) & mask;
      }
      slots[slot] = i;
    }
  }

  /** The index of an identity with these bytes; -1 when there is none. */
  int indexOf(UnsafeRow stored) {
    int hash = stored.hashCode();
    int slot = hash & mask;
    while (slots[slot] != FREE) {
      int index = slots[slot];
      if (hashes[index] == hash && identities.get(index).equals(stored)) {
        return index;
      }
      slot = (slot + 1) & mask;
    }
    return -1;
  }
}
