package io.onceberg.it.real;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.math.BigDecimal;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A column of one database type, and how the database and Spark are asked for its value so that
 * both give the same text. {@code %c} stands for the column.
 *
 * @param database SQL expression for the database
 * @param spark SQL expression for Spark
 * @param values SQL literals: an ordinary value and two extremes
 */
record ZooColumn(
    String name, String type, Form form, String database, String spark, List<String> values) {
  /** When two texts say the same. */
  enum Form {
    TEXT,
    NUMBER,
    REAL,
    TIME,
    /** Bytes in hexadecimal, the lowest bits first; Debezium leaves out zero bytes at the end. */
    BITS,
    JSON,
    /** JSON whose texts are numbers too. */
    NUMBERS
  }

  private static final ObjectMapper JSON =
      new ObjectMapper()
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS);

  String databaseExpression() {
    return database.replace("%c", name);
  }

  String sparkExpression() {
    return spark.replace("%c", name);
  }

  ZooColumn withDatabase(String expression) {
    return new ZooColumn(name, type, form, expression, spark, values);
  }

  /** One text for all that mean the same. */
  String canonical(@Nullable String text) {
    if (text == null) {
      return "null";
    }
    return switch (form) {
      case TEXT -> text;
      case NUMBER -> number(text);
      case REAL -> Float.toString(Float.parseFloat(text));
      case TIME ->
          text.replaceFirst("Z$", "").replaceFirst("(\\.\\d*?)0+$", "$1").replaceFirst("\\.$", "");
      case BITS -> text.replaceFirst("(00)+$", "");
      case JSON, NUMBERS -> json(text);
    };
  }

  /** A line for each field of a JSON object. */
  static Stream<String> lines(String object, String start) {
    try {
      return JSON.readTree(object)
          .propertyStream()
          .map(field -> start + field.getKey() + "=" + field.getValue());
    } catch (JsonProcessingException e) {
      throw new AssertionError(object, e);
    }
  }

  private static String number(String text) {
    BigDecimal number = new BigDecimal(text);
    return number.signum() == 0 ? "0" : number.stripTrailingZeros().toPlainString();
  }

  private String json(String text) {
    try {
      return json(JSON.readTree(text)).toString();
    } catch (JsonProcessingException e) {
      throw new AssertionError(name + " is not JSON: " + text, e);
    }
  }

  private Object json(JsonNode node) {
    if (node.isNumber() || (form == Form.NUMBERS && node.isTextual())) {
      return number(node.asText());
    }
    if (node.isArray()) {
      return node.valueStream().map(this::json).toList();
    }
    if (node.isObject()) {
      return node.propertyStream()
          .map(entry -> entry.getKey() + ":" + json(entry.getValue()))
          .sorted()
          .toList();
    }
    return node;
  }
}
