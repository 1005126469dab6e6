package io.onceberg.it.platform;

import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

/** One platform per JVM, started when first asked for and ended with the program. */
final class SharedPlatform {
  private static final AtomicInteger NAMES = new AtomicInteger();

  private SharedPlatform() {}

  private static final class Holder {
    static final Stack SHARED = start();
  }

  private static Stack start() {
    PlatformSettings.S3_CLIENT.forEach(System::setProperty); // this program reads the tables, too
    return LocalStack.start(Path.of("peers"));
  }

  static Stack stack() {
    return Holder.SHARED;
  }

  /** A name that no other scenario on this platform has. */
  static String uniqueName(String prefix) {
    return prefix + "_" + NAMES.incrementAndGet();
  }
}
