package io.onceberg.ingest.decode;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** From JSON tokens to a row builder, without a tree and without strings in between. */
final class JsonTokens {
  /** Fractions keep every digit in trees, too. */
  static final ObjectMapper MAPPER =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxStringLength(Integer.MAX_VALUE)
                          .maxNumberLength(Integer.MAX_VALUE)
                          .build())
                  .build())
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
          .build();

  /** How many bytes before its input's end Jackson reads names one byte at a time. */
  private static final int SLOW_END = 16;

  private static final int SHORT = 256;

  private final byte[] shortInput = new byte[SHORT + SLOW_END];
  private byte[] utf8 = new byte[1024];
  private int length;

  static JsonParser parser(byte[] json, int offset, int length) throws IOException {
    requireUtf8(json, offset, length);
    return MAPPER.getFactory().createParser(json, offset, length);
  }

  static JsonNode tree(byte[] json) throws IOException {
    requireUtf8(json, 0, json.length);
    return MAPPER.readTree(json);
  }

  /**
   * JSON that programs exchange is UTF-8. Jackson would take bytes that begin otherwise for UTF-16
   * or UTF-32, in which no place can be found again by its offset: mostly they are Avro.
   */
  private static void requireUtf8(byte[] json, int offset, int length) {
    if (length < 2) {
      return;
    }
    byte first = json[offset];
    if (first == 0 || json[offset + 1] == 0 || first == (byte) 0xFE || first == (byte) 0xFF) {
      throw RefusedValue.undecodable("not JSON in UTF-8");
    }
  }

  /** Bytes in memory can always be read: whatever Jackson throws is about what they are. */
  static RefusedValue notJson(String where, IOException failure) {
    String why =
        failure instanceof JsonProcessingException json
            ? json.getOriginalMessage()
            : failure.getMessage();
    return RefusedValue.undecodable(where + "not JSON: " + why);
  }

  /**
   * A parser for one short document, mostly a record's key: with spaces after it, so that Jackson
   * reads all of it the fast way. Valid until the next call.
   */
  JsonParser shortParser(byte[] json, int offset, int length) throws IOException {
    if (length > SHORT) {
      return parser(json, offset, length);
    }
    requireUtf8(json, offset, length);
    System.arraycopy(json, offset, shortInput, 0, length);
    Arrays.fill(shortInput, length, length + SLOW_END, (byte) ' ');
    return parser(shortInput, 0, length + SLOW_END);
  }

  /** Hands the value that the parser stands on to the builder. */
  void feed(JsonParser json, RowPlan.Planned field, RowBuilder row) throws IOException {
    if (field.cell() == null) {
      json.skipChildren();
      return;
    }
    switch (json.currentToken()) {
      case VALUE_NULL -> row.ofNull(field);
      case VALUE_STRING -> {
        text(json);
        row.ofJsonText(field, utf8, 0, length);
      }
      case VALUE_NUMBER_INT -> integer(json, field, row);
      case VALUE_NUMBER_FLOAT -> fraction(json, field, row);
      case VALUE_TRUE -> row.ofBoolean(field, true);
      case VALUE_FALSE -> row.ofBoolean(field, false);
      default -> row.ofNested(field, json.readValueAsTree());
    }
  }

  private static void integer(JsonParser json, RowPlan.Planned field, RowBuilder row)
      throws IOException {
    if (json.getNumberType() == JsonParser.NumberType.BIG_INTEGER) {
      row.ofDecimal(field, new BigDecimal(json.getBigIntegerValue()));
    } else {
      row.ofInteger(field, json.getLongValue());
    }
  }

  private static void fraction(JsonParser json, RowPlan.Planned field, RowBuilder row)
      throws IOException {
    Cell cell = field.cell();
    if (cell != null && cell.exactFractions()) {
      row.ofDecimal(field, json.getDecimalValue());
      return;
    }
    double value = json.getDoubleValue();
    if (Double.isInfinite(value)) {
      row.ofDecimal(field, json.getDecimalValue());
    } else {
      row.ofDouble(field, value);
    }
  }

  /**
   * Reads a row object; the parser stands on its start. Fields that the plan does not know are left
   * out.
   *
   * @return whether such a field had a value
   */
  boolean row(JsonParser json, RowPlan plan, RowBuilder row) throws IOException {
    boolean unknown = false;
    int expected = 0;
    for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
      RowPlan.Planned field = plan.find(name, expected++);
      JsonToken token = json.nextToken();
      if (field == null) {
        unknown |= token != JsonToken.VALUE_NULL;
        json.skipChildren();
      } else {
        feed(json, field, row);
      }
    }
    row.requireAll(plan);
    return unknown;
  }

  /** The text that the parser stands on, as UTF-8 in {@link #bytes}. */
  void text(JsonParser json) throws IOException {
    char[] chars = json.getTextCharacters();
    int from = json.getTextOffset();
    int count = json.getTextLength();
    if (utf8.length < 3 * (long) count) {
      utf8 = new byte[Math.toIntExact(Math.min(Integer.MAX_VALUE - 16L, 4L * count))];
    }
    int i = 0;
    while (i < count && chars[from + i] < 0x80) {
      utf8[i] = (byte) chars[from + i];
      i++;
    }
    length = i == count ? i : encode(chars, from + i, from + count, i);
  }

  /** The same of a text that is a string already. */
  static byte[] utf8(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (Character.isSurrogate(c)) {
        boolean pair = i + 1 < text.length() && Character.isSurrogatePair(c, text.charAt(i + 1));
        if (!pair) {
          throw brokenText();
        }
        i++;
      }
    }
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static RefusedValue brokenText() {
    return RefusedValue.undecodable("a text with half a surrogate pair");
  }

  byte[] bytes() {
    return utf8;
  }

  int length() {
    return length;
  }

  /**
   * Half a surrogate pair is no character and has no form in UTF-8; nothing is put in its place.
   */
  private int encode(char[] chars, int from, int end, int start) {
    int at = start;
    for (int i = from; i < end; i++) {
      char c = chars[i];
      if (c < 0x80) {
        utf8[at++] = (byte) c;
      } else if (c < 0x800) {
        utf8[at++] = (byte) (0xC0 | (c >> 6));
        utf8[at++] = (byte) (0x80 | (c & 0x3F));
      } else if (!Character.isSurrogate(c)) {
        utf8[at++] = (byte) (0xE0 | (c >> 12));
        utf8[at++] = (byte) (0x80 | (c >> 6 & 0x3F));
        utf8[at++] = (byte) (0x80 | (c & 0x3F));
      } else if (i + 1 < end && Character.isSurrogatePair(c, chars[i + 1])) {
        int point = Character.toCodePoint(c, chars[++i]);
        utf8[at++] = (byte) (0xF0 | (point >> 18));
        utf8[at++] = (byte) (0x80 | (point >> 12 & 0x3F));
        utf8[at++] = (byte) (0x80 | (point >> 6 & 0x3F));
        utf8[at++] = (byte) (0x80 | (point & 0x3F));
      } else {
        throw brokenText();
      }
    }
    return at;
  }

  /** The integer that the parser stands on, 64 bits taken as they are; null when it is none. */
  static @Nullable Long integer(JsonParser json) throws IOException {
    if (json.currentToken() != JsonToken.VALUE_NUMBER_INT) {
      json.skipChildren();
      return null;
    }
    return json.getNumberType() == JsonParser.NumberType.BIG_INTEGER
        ? unsigned(json.getBigIntegerValue())
        : Long.valueOf(json.getLongValue());
  }

  private static @Nullable Long unsigned(BigInteger value) {
    return value.signum() >= 0 && value.bitLength() <= Long.SIZE ? value.longValue() : null;
  }
}
