package io.onceberg.it.bench;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.jspecify.annotations.Nullable;

/**
 * Writes Confluent's wire format: a zero byte, the schema id, the Avro binary of {@link
 * OrderSchemas#ENVELOPE}. A union's branch number stands before each optional value; null is branch
 * 0 except where a default value comes first.
 */
final class AvroEventEncoder implements EventEncoder {
  private static final int NULL = 0;
  private static final int PRESENT = 1;
  private static final int PRESENT_FIRST = 0;
  private static final int ROW_COLUMNS_AFTER_ID = 11;

  private final int keySchemaId;
  private final int valueSchemaId;
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream(1024);
  private @Nullable BinaryEncoder encoder;

  AvroEventEncoder(int keySchemaId, int valueSchemaId) {
    this.keySchemaId = keySchemaId;
    this.valueSchemaId = valueSchemaId;
  }

  @Override
  public byte[] key(ChangeEvent event) {
    return write(keySchemaId, out -> out.writeLong(event.id()));
  }

  @Override
  public byte[] value(ChangeEvent event) {
    return write(valueSchemaId, out -> envelope(event, out));
  }

  private interface Body {
    void write(BinaryEncoder out) throws IOException;
  }

  private byte[] write(int schemaId, Body body) {
    bytes.reset();
    bytes.writeBytes(ByteBuffer.allocate(5).put((byte) 0).putInt(schemaId).array());
    try {
      BinaryEncoder out = EncoderFactory.get().binaryEncoder(bytes, encoder);
      encoder = out;
      body.write(out);
      out.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private static void envelope(ChangeEvent event, BinaryEncoder out) throws IOException {
    if (event.isDelete()) {
      out.writeIndex(PRESENT);
      out.writeLong(event.id());
      for (int i = 0; i < ROW_COLUMNS_AFTER_ID; i++) {
        out.writeIndex(NULL);
      }
      out.writeIndex(NULL);
    } else {
      out.writeIndex(NULL);
      out.writeIndex(PRESENT);
      row(event, out);
    }
    source(event, out);
    out.writeIndex(NULL);
    out.writeString(String.valueOf(event.op()));
    long micros = event.envelopeMicros();
    optional(micros / 1000, out);
    optional(micros, out);
    optional(micros * 1000, out);
  }

  private static void row(ChangeEvent event, BinaryEncoder out) throws IOException {
    out.writeLong(event.id());
    optional(event.customerId(), out);
    optional(event.orderNumber(), out);
    optional(event.status(), out);
    out.writeIndex(PRESENT);
    out.writeBytes(BigInteger.valueOf(event.amountCents()).toByteArray());
    out.writeIndex(PRESENT);
    out.writeInt(event.quantity());
    out.writeIndex(PRESENT);
    out.writeDouble(event.weight());
    out.writeIndex(PRESENT);
    out.writeBoolean(event.gift());
    out.writeIndex(PRESENT);
    out.writeInt(event.placedOn());
    optional(event.createdAt(), out);
    optional(event.updatedAt(), out);
    optional(event.note(), out);
  }

  private static void source(ChangeEvent event, BinaryEncoder out) throws IOException {
    out.writeString("3.6.1.Final");
    out.writeString("postgresql");
    out.writeString(OrderSchemas.SERVER);
    out.writeLong(event.sourceMillis());
    out.writeIndex(PRESENT_FIRST);
    out.writeString("false");
    out.writeString(OrderSchemas.DATABASE);
    optional("[\"" + event.lastCommitLsn() + "\",\"" + event.lsn() + "\"]", out);
    optional(event.commitMicros(), out);
    optional(event.commitMicros() * 1000, out);
    out.writeString("public");
    out.writeString("orders");
    optional(event.txId(), out);
    optional(event.lsn(), out);
    out.writeIndex(NULL);
    out.writeIndex(NULL);
    out.writeIndex(NULL);
  }

  private static void optional(long value, BinaryEncoder out) throws IOException {
    out.writeIndex(PRESENT);
    out.writeLong(value);
  }

  private static void optional(String value, BinaryEncoder out) throws IOException {
    out.writeIndex(PRESENT);
    out.writeString(value);
  }
}
