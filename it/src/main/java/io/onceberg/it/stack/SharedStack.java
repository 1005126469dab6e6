package io.onceberg.it.stack;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * One broker and one database per JVM, started when first asked for and ended with the program, so
 * that many test classes share them. Tests that kill or reconfigure a part start their own.
 */
public final class SharedStack {
  private static final AtomicInteger NAMES = new AtomicInteger();

  private SharedStack() {}

  private static final class Kafka {
    static final LocalKafka SHARED = LocalKafka.start();
  }

  private static final class Postgres {
    static final LocalPostgres SHARED = LocalPostgres.start();
  }

  public static LocalKafka kafka() {
    return Kafka.SHARED;
  }

  public static LocalPostgres postgres() {
    return Postgres.SHARED;
  }

  /** A name that no other test of this JVM has, for a topic, a database, a slot or a group. */
  public static String uniqueName(String prefix) {
    return prefix + "_" + NAMES.incrementAndGet();
  }
}
