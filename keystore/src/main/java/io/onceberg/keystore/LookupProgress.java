package io.onceberg.keystore;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Says how far a lookup is that takes seconds: the first one after a start, which reads indexes and
 * filters, or one whose filters do not fit in {@code keys.filter.memory}.
 */
final class LookupProgress {
  private static final long EVERY = TimeUnit.SECONDS.toNanos(3);

  private final TargetName target;
  private final int files;
  private final LongSupplier nanos;
  private final Consumer<String> say;
  private long said;

  LookupProgress(TargetName target, int files, LongSupplier nanos, Consumer<String> say) {
    this.target = target;
    this.files = files;
    this.nanos = nanos;
    this.say = say;
    this.said = nanos.getAsLong();
  }

  /** Called before each file. */
  void at(int done) {
    long now = nanos.getAsLong();
    if (now - said >= EVERY) {
      said = now;
      say.accept(
          "lookup target=%s key_files=%d of=%d filter_memory_bytes=%d"
              .formatted(target, done, files, KeyIndexes.bytes()));
    }
  }
}
