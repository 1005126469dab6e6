package io.onceberg.keystore;

import java.util.NavigableSet;
import java.util.TreeSet;

/** The ordinals of changes that are equal in all else. */
public final class StoredOrdinals {
  /** For a change that was stored without one: Debezium counts from 1. */
  static final long NONE = 0;

  private final NavigableSet<Long> ordinals = new TreeSet<>();

  /** Takes one more; whether it was not there. */
  public boolean add(long ordinal) {
    return ordinals.add(ordinal);
  }

  public boolean contains(long ordinal) {
    return ordinals.contains(ordinal);
  }

  /** How many changes there are. */
  public int size() {
    return ordinals.size();
  }

  /** Whether all of them are below this. */
  public boolean isBelow(long ordinal) {
    return ordinals.isEmpty() || ordinals.last() < ordinal;
  }

  /** Takes what others hold. */
  public void addAll(StoredOrdinals others) {
    ordinals.addAll(others.ordinals);
  }

  @Override
  public String toString() {
    return ordinals.toString();
  }
}
