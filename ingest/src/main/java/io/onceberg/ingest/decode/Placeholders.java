package io.onceberg.ingest.decode;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * All forms in which Debezium says that a TOAST column was not changed and therefore not sent: the
 * configured text; its base64 and hex forms where binary columns are text; its bytes; a list of one
 * such element, or of its bytes as numbers, or of a UUID made from it; a map from it to itself, and
 * the JSON text of that.
 */
final class Placeholders {
  private final byte[] plain;
  private final byte[][] texts;
  private final String uuid;

  Placeholders(String placeholder) {
    plain = placeholder.getBytes(StandardCharsets.UTF_8);
    uuid = UUID.nameUUIDFromBytes(plain).toString();
    texts =
        new byte[][] {
          plain,
          Base64.getEncoder().encode(plain),
          Base64.getUrlEncoder().encode(plain),
          HexFormat.of().formatHex(plain).getBytes(StandardCharsets.US_ASCII),
          "{\"%s\":\"%s\"}".formatted(placeholder, placeholder).getBytes(StandardCharsets.UTF_8)
        };
  }

  boolean isText(byte[] text, int offset, int length) {
    for (byte[] form : texts) {
      if (form.length == length && Arrays.equals(form, 0, length, text, offset, offset + length)) {
        return true;
      }
    }
    return false;
  }

  boolean isBytes(byte[] bytes, int offset, int length) {
    return length == plain.length
        && Arrays.equals(plain, 0, length, bytes, offset, offset + length);
  }

  boolean isNested(Object value) {
    if (value instanceof JsonNode node) {
      return node.isArray() ? isArray(node) : isObject(node);
    }
    if (value instanceof List<?> list) {
      return list.size() == 1 ? isPlain(list.get(0)) : isNumbers(list);
    }
    return value instanceof Map<?, ?> map
        && map.size() == 1
        && map.entrySet().stream().allMatch(e -> isPlain(e.getKey()) && isPlain(e.getValue()));
  }

  private boolean isArray(JsonNode array) {
    if (array.size() == 1) {
      return isPlain(array.get(0));
    }
    if (array.size() != plain.length) {
      return false;
    }
    for (int i = 0; i < plain.length; i++) {
      if (!array.get(i).isInt() || array.get(i).intValue() != plain[i]) {
        return false;
      }
    }
    return true;
  }

  private boolean isObject(JsonNode object) {
    if (object.size() != 1) {
      return false;
    }
    Map.Entry<String, JsonNode> entry = object.properties().iterator().next();
    return isPlain(entry.getKey()) && isPlain(entry.getValue());
  }

  private boolean isNumbers(List<?> list) {
    if (list.size() != plain.length) {
      return false;
    }
    for (int i = 0; i < plain.length; i++) {
      if (!(list.get(i) instanceof Number number) || number.longValue() != plain[i]) {
        return false;
      }
    }
    return true;
  }

  private boolean isPlain(@Nullable Object value) {
    if (value instanceof JsonNode node) {
      return node.isTextual() && isPlain(node.textValue());
    }
    if (value instanceof CharSequence text) {
      String written = text.toString();
      byte[] utf8 = written.getBytes(StandardCharsets.UTF_8);
      return written.equals(uuid) || isText(utf8, 0, utf8.length);
    }
    if (value instanceof ByteBuffer buffer) {
      return buffer.equals(ByteBuffer.wrap(plain));
    }
    return value instanceof byte[] bytes && isBytes(bytes, 0, bytes.length);
  }
}
