package io.onceberg.keystore;

/** Hears how far long work on a keys table got. Called often, from the threads that work. */
public interface KeyProgress {
  /** Says nothing. */
  KeyProgress NONE = (step, done, total) -> {};

  /**
   * So much of a step is done.
   *
   * @param step what is being done, such as {@code reading indexes}
   */
  void at(String step, long done, long total);
}
