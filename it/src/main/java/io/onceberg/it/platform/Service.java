package io.onceberg.it.platform;

/** The parts of a platform beside the daemon, in the order in which they need each other. */
public enum Service {
  POSTGRES,
  KAFKA,
  OBJECT_STORE,
  /** A REST catalog whose tables lie in the object store. */
  CATALOG,
  /** A distributed worker of Kafka Connect with Debezium's connector for PostgreSQL. */
  CONNECT
}
