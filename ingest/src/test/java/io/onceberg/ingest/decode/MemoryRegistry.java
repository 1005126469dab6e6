package io.onceberg.ingest.decode;

import io.onceberg.error.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.Schema;

/** A registry's memory without the registry: schemas go through their JSON form, as over HTTP. */
final class MemoryRegistry implements SchemaRegistry {
  private final List<Schema> schemas = new ArrayList<>();

  @Override
  public Schema byId(int id) {
    if (id < 1 || id > schemas.size()) {
      throw new RefusedValue(ErrorCode.UNKNOWN_SCHEMA_ID, "no schema " + id);
    }
    return schemas.get(id - 1);
  }

  @Override
  public int register(String subject, Schema schema) {
    if (!schemas.contains(schema)) {
      schemas.add(new Schema.Parser().parse(schema.toString()));
    }
    return schemas.indexOf(schema) + 1;
  }
}
