package io.onceberg.it.demo;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import org.jspecify.annotations.Nullable;

/** One text for one value, wherever it was read from. */
final class Canonical {
  private static final ObjectMapper JSON =
      JsonMapper.builder()
          .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .build();

  private Canonical() {}

  /** A value as PostgreSQL's {@code to_jsonb} writes it. */
  static String ofJson(DemoTable.Type type, @Nullable JsonNode value) {
    if (value == null || value.isNull()) {
      return "null";
    }
    return switch (type) {
      case NUMBER -> number(value.decimalValue());
      case TEXT -> quoted(value.asText());
      case TRUTH -> Boolean.toString(value.asBoolean());
      case DATE -> LocalDate.parse(value.asText()).toString();
      case LOCAL_TIME -> LocalDateTime.parse(value.asText()).toString();
      case INSTANT -> OffsetDateTime.parse(value.asText()).toInstant().toString();
      case JSON -> sorted(value);
    };
  }

  /** A value as Spark returns it. */
  static String ofSpark(DemoTable.Type type, @Nullable Object value) {
    if (value == null) {
      return "null";
    }
    return switch (type) {
      case NUMBER ->
          value instanceof Double d ? number(BigDecimal.valueOf(d)) : number(decimal(value));
      case TEXT -> quoted(value.toString());
      case TRUTH -> value.toString();
      case DATE -> ((LocalDate) value).toString();
      case LOCAL_TIME -> ((LocalDateTime) value).toString();
      case INSTANT -> ((Instant) value).toString();
      case JSON -> sorted(parse(value.toString()));
    };
  }

  static JsonNode parse(String json) {
    try {
      return JSON.readTree(json);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("not JSON: " + json, e);
    }
  }

  private static BigDecimal decimal(Object value) {
    return new BigDecimal(value.toString());
  }

  private static String number(BigDecimal value) {
    return value.signum() == 0 ? "0" : value.stripTrailingZeros().toPlainString();
  }

  private static String quoted(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }

  private static String sorted(JsonNode value) {
    try {
      return JSON.writeValueAsString(JSON.treeToValue(value, Object.class));
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("not JSON: " + value, e);
    }
  }
}
