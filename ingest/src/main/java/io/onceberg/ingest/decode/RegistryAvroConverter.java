package io.onceberg.ingest.decode;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.storage.Converter;
import org.jspecify.annotations.Nullable;

/**
 * A Kafka Connect converter for Avro with a schema registry. It takes the settings, the registry
 * protocol and the bytes of Confluent's {@code AvroConverter}, in both directions: {@code
 * schema.registry.url}, {@code basic.auth.user.info}, {@code bearer.auth.token}. Subjects are named
 * after the topic.
 */
public final class RegistryAvroConverter implements Converter {
  static final byte MAGIC = 0;
  static final int HEADER_BYTES = 5;

  private record Written(int id, org.apache.avro.Schema avro) {}

  private record Read(org.apache.avro.Schema avro, Schema connect) {}

  private final Map<String, Written> written = new HashMap<>();
  private final Map<Integer, Read> read = new HashMap<>();
  private @Nullable SchemaRegistry registry;
  private @Nullable Schema lastSchema;
  private @Nullable Written lastWritten;
  private boolean key;

  /** Needed by Kafka Connect; {@link #configure} comes next. */
  public RegistryAvroConverter() {}

  RegistryAvroConverter(SchemaRegistry registry, boolean key) {
    this.registry = registry;
    this.key = key;
  }

  @Override
  public void configure(Map<String, ?> configs, boolean isKey) {
    registry = HttpSchemaRegistry.of(configs);
    key = isKey;
  }

  private SchemaRegistry registry() {
    if (registry == null) {
      throw new IllegalStateException("the converter was not configured");
    }
    return registry;
  }

  @Override
  @SuppressWarnings("NullAway") // Kafka Connect's contract: no value, no bytes
  public byte[] fromConnectData(String topic, Schema schema, Object value) {
    if (value == null) {
      return null;
    }
    if (schema == null) {
      throw new DataException("Avro needs a schema; topic " + topic);
    }
    Written target = written(topic, schema);
    ByteArrayOutputStream out = new ByteArrayOutputStream(512);
    out.write(MAGIC);
    out.writeBytes(ByteBuffer.allocate(Integer.BYTES).putInt(target.id).array());
    BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(out, null);
    try {
      new GenericDatumWriter<Object>(target.avro, new GenericData())
          .write(AvroWriting.toAvro(schema, target.avro, value), encoder);
      encoder.flush();
    } catch (IOException e) {
      throw new UncheckedIOException("writing to memory", e);
    }
    return out.toByteArray();
  }

  @SuppressWarnings("ReferenceEquality") // equality of schemas is deep, and tried second
  private Written written(String topic, Schema schema) {
    if (schema == lastSchema && lastWritten != null) {
      return lastWritten;
    }
    org.apache.avro.Schema avro = AvroWriting.toAvro(schema);
    String subject = topic + (key ? "-key" : "-value");
    Written found =
        written.computeIfAbsent(
            subject + " " + avro, k -> new Written(registry().register(subject, avro), avro));
    lastSchema = schema;
    lastWritten = found;
    return found;
  }

  @Override
  public SchemaAndValue toConnectData(String topic, byte[] value) {
    if (value == null) {
      return SchemaAndValue.NULL;
    }
    Read source = read.computeIfAbsent(schemaId(value), this::readable);
    try {
      Object data =
          new GenericDatumReader<>(source.avro, source.avro, new GenericData())
              .read(
                  null,
                  DecoderFactory.get()
                      .binaryDecoder(value, HEADER_BYTES, value.length - HEADER_BYTES, null));
      return new SchemaAndValue(source.connect, AvroReading.toConnect(source.connect, data));
    } catch (IOException e) {
      throw new DataException("not Avro: " + e, e);
    }
  }

  private Read readable(int id) {
    org.apache.avro.Schema avro = registry().byId(id);
    return new Read(avro, AvroSchemas.toConnect(avro));
  }

  /** The schema id in a record's first bytes. */
  static int schemaId(byte[] bytes) {
    if (bytes.length < HEADER_BYTES || bytes[0] != MAGIC) {
      throw RefusedValue.undecodable("no Avro of a schema registry: the magic byte is missing");
    }
    return ByteBuffer.wrap(bytes).getInt(1);
  }
}
