package io.onceberg.ingest.decode;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Reads back the keys that {@code _cdc.key} holds: the values that they were printed from, in
 * today's types. Not shared between threads.
 */
public final class KeyTextReader {
  private static final JsonFactory JSON = new JsonFactory();
  private static final LocalDateTime EPOCH = LocalDateTime.ofEpochSecond(0, 0, ZoneOffset.UTC);

  private final Types.StructType layout;
  private final Map<String, Integer> places = new HashMap<>();
  private final GenericInternalRow row;

  /**
   * Prepares reading.
   *
   * @param layout the fields of the keys table's {@code key}
   * @throws OncebergException when keys of these types are not printed in full
   */
  public KeyTextReader(Types.StructType layout) {
    this.layout = layout;
    this.row = new GenericInternalRow(layout.fields().size());
    for (int i = 0; i < layout.fields().size(); i++) {
      Types.NestedField field = layout.fields().get(i);
      if (!isPrintedInFull(field.type())) {
        throw new OncebergException(
            ErrorCode.IDENTITY_NOT_STORED,
            "the key column %s is of type %s, whose values _cdc.key does not hold in full"
                .formatted(field.name(), field.type()));
      }
      places.put(field.name(), i);
    }
  }

  private static boolean isPrintedInFull(Type type) {
    return switch (type.typeId()) {
      case BOOLEAN, INTEGER, LONG, FLOAT, DOUBLE, DECIMAL, STRING, UUID -> true;
      case BINARY, DATE, TIMESTAMP -> true;
      default -> false;
    };
  }

  /**
   * The key as plain values, valid until the next call. Columns that it was printed without are
   * null.
   */
  public InternalRow read(String text) {
    for (int i = 0; i < layout.fields().size(); i++) {
      row.update(i, null);
    }
    try (JsonParser parser = JSON.createParser(text)) {
      parser.nextToken();
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        Integer place = places.get(parser.currentName());
        boolean absent = parser.nextToken() == JsonToken.VALUE_NULL;
        if (place == null) {
          throw new OncebergException(
              ErrorCode.IDENTITY_NOT_STORED,
              "the key %s has a column that the keys table lacks".formatted(text));
        }
        if (!absent) {
          row.update(place, value(parser.getText(), layout.fields().get(place).type()));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("_cdc.key " + text, e);
    }
    return row;
  }

  private static Object value(String text, Type type) {
    return switch (type.typeId()) {
      case BOOLEAN -> Boolean.valueOf(text);
      case INTEGER -> Integer.valueOf(text);
      case LONG -> Long.valueOf(text);
      case FLOAT -> Float.valueOf(text);
      case DOUBLE -> Double.valueOf(text);
      case DECIMAL -> decimal(text, (Types.DecimalType) type);
      case BINARY -> Base64.getDecoder().decode(text);
      case DATE -> (int) LocalDate.parse(text).toEpochDay();
      case TIMESTAMP -> micros(text, (Types.TimestampType) type);
      default -> UTF8String.fromString(text);
    };
  }

  private static Decimal decimal(String text, Types.DecimalType type) {
    BigDecimal value = new BigDecimal(text).setScale(type.scale());
    return Decimal.apply(value, type.precision(), type.scale());
  }

  private static long micros(String text, Types.TimestampType type) {
    LocalDateTime time =
        type.shouldAdjustToUTC()
            ? OffsetDateTime.parse(text).toLocalDateTime()
            : LocalDateTime.parse(text);
    return EPOCH.until(time, ChronoUnit.MICROS);
  }
}
