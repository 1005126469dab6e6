package io.onceberg.it.platform;

import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One platform per JVM, started when first asked for and ended with the program. The system
 * property {@code onceberg.stack} says what it runs on: {@code processes} or {@code containers}.
 */
final class SharedPlatform {
  private static final AtomicInteger NAMES = new AtomicInteger();

  private SharedPlatform() {}

  private static final class Holder {
    static final Stack SHARED = start();
  }

  private static Stack start() {
    PlatformSettings.useObjectStoreHere(); // this program reads the tables, too
    return containers() ? ContainerStack.start(Path.of("..")) : LocalStack.start(Path.of("peers"));
  }

  /** Whether this run is on containers; on processes otherwise. */
  private static boolean containers() {
    return "containers".equals(System.getProperty("onceberg.stack"));
  }

  static Stack stack() {
    return Holder.SHARED;
  }

  /** A name that no other scenario on this platform has. */
  static String uniqueName(String prefix) {
    return prefix + "_" + NAMES.incrementAndGet();
  }
}
