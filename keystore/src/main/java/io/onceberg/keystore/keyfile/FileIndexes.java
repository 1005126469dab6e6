package io.onceberg.keystore.keyfile;

import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * Indexes of key files that stay in memory, up to a weight; beyond it those go first that were not
 * used for longest, and are read again when they are needed. Files never change, so nothing here
 * gets stale.
 */
final class FileIndexes {
  /** Those of this JVM. */
  static final FileIndexes SHARED = new FileIndexes();

  /** A file, read for these columns. */
  record Key(String path, KeyColumns columns) {}

  private final Map<Key, FileIndex> known = new LinkedHashMap<>(16, 0.75f, true);
  private final Map<Key, FutureTask<FileIndex>> coming = new HashMap<>();
  private long weight;

  /**
   * The index of a file, read once however many ask at the same time.
   *
   * @param limit the weight in bytes that all may have together
   */
  FileIndex get(Key key, long limit, Callable<FileIndex> read) {
    FutureTask<FileIndex> task;
    boolean mine = false;
    synchronized (this) {
      FileIndex index = known.get(key);
      if (index != null) {
        return index;
      }
      FutureTask<FileIndex> running = coming.get(key);
      if (running == null) {
        running = new FutureTask<>(read);
        coming.put(key, running);
        mine = true;
      }
      task = running;
    }
    if (!mine) {
      return result(task);
    }
    try {
      task.run();
      FileIndex index = result(task);
      keep(key, index, limit);
      return index;
    } finally {
      synchronized (this) {
        coming.remove(key);
      }
    }
  }

  private static FileIndex result(FutureTask<FileIndex> task) {
    try {
      return task.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while an index was read", e);
    }
  }

  private synchronized void keep(Key key, FileIndex index, long limit) {
    if (index.weight() > limit) {
      return;
    }
    known.put(key, index);
    weight += index.weight();
    Iterator<FileIndex> eldest = known.values().iterator();
    while (weight > limit) {
      weight -= eldest.next().weight();
      eldest.remove();
    }
  }

  synchronized long weight() {
    return weight;
  }

  synchronized int count() {
    return known.size();
  }

  /** Forgets all, as a new JVM has nothing. */
  synchronized void clear() {
    known.clear();
    weight = 0;
  }
}
