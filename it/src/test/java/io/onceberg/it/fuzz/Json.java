package io.onceberg.it.fuzz;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * JSON that can be wrong: an object may have a field twice, and any text may stand where a value
 * should. A value is null, a String, a List, {@link Fields} or {@link Raw}.
 */
final class Json {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  /** A token as it is to be written: a number, true, or what no parser should take. */
  record Raw(String text) {}

  /** One field of an object. */
  record Field(String name, @Nullable Object value) {}

  /** An object. */
  static final class Fields extends ArrayList<Field> {
    private static final long serialVersionUID = 1L;

    Fields with(String name, @Nullable Object value) {
      add(new Field(name, value));
      return this;
    }
  }

  private Json() {}

  static @Nullable Object parse(byte[] json) {
    try {
      return of(MAPPER.readTree(json));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static @Nullable Object of(JsonNode node) {
    if (node.isObject()) {
      Fields fields = new Fields();
      node.properties().forEach(f -> fields.with(f.getKey(), of(f.getValue())));
      return fields;
    }
    if (node.isArray()) {
      List<@Nullable Object> list = new ArrayList<>();
      node.forEach(element -> list.add(of(element)));
      return list;
    }
    if (node.isTextual()) {
      return node.textValue();
    }
    return node.isNull() ? null : new Raw(node.asText());
  }

  static byte[] bytes(@Nullable Object value) {
    StringBuilder out = new StringBuilder();
    write(value, out);
    return out.toString().getBytes(StandardCharsets.UTF_8);
  }

  private static void write(@Nullable Object value, StringBuilder out) {
    if (value instanceof Fields fields) {
      String separator = "{";
      for (Field field : fields) {
        quote(field.name(), out.append(separator));
        write(field.value(), out.append(':'));
        separator = ",";
      }
      out.append(fields.isEmpty() ? "{}" : "}");
    } else if (value instanceof List<?> list) {
      String separator = "[";
      for (Object element : list) {
        write(element, out.append(separator));
        separator = ",";
      }
      out.append(list.isEmpty() ? "[]" : "]");
    } else if (value instanceof Raw raw) {
      out.append(raw.text());
    } else if (value instanceof String text) {
      quote(text, out);
    } else {
      out.append("null");
    }
  }

  /** Half a surrogate pair has no form in UTF-8 but one in JSON. */
  private static void quote(String text, StringBuilder out) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c < ' ' || Character.isSurrogate(c)) {
        out.append("\\u%04x".formatted((int) c));
      } else {
        out.append(c);
      }
    }
    out.append('"');
  }
}
