package io.onceberg.ingest.decode;

import org.apache.avro.Schema;

/** Avro schemas by the id that records carry. Thread-safe. */
interface SchemaRegistry {
  /**
   * The schema of an id.
   *
   * @throws RefusedValue when the registry does not know the id
   * @throws io.onceberg.error.OncebergException when it does not answer, or refuses the client
   */
  Schema byId(int id);

  /** Registers a schema under a subject and returns its id. */
  int register(String subject, Schema schema);
}
