package io.onceberg.ingest.decode;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import io.onceberg.keystore.TargetLayout;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.connect.json.JsonConverter;
import org.apache.kafka.connect.storage.Converter;

/** Opens decoders. */
public final class Decoders {
  /** The key under which converter settings name the converter's class. */
  public static final String CONVERTER = "converter";

  private static final String JSON = JsonConverter.class.getName();

  /** Confluent's name selects our converter, which reads and writes the same bytes. */
  private static final Set<String> AVRO =
      Set.of("io.confluent.connect.avro.AvroConverter", RegistryAvroConverter.class.getName());

  private Decoders() {}

  /**
   * A decoder of one target's records for the calling thread.
   *
   * @throws OncebergException when a converter's class is not there or refuses its settings
   */
  public static EventDecoder open(DecodeSettings settings, TargetLayout layout) {
    return new RecordDecoder(settings, layout, keys(settings, layout), values(settings, layout));
  }

  private static KeyReader keys(DecodeSettings settings, TargetLayout layout) {
    Map<String, String> configured = settings.keyConverter();
    if (streams(settings, configured)) {
      return withSchemas(configured)
          ? new JsonKeys(settings, layout, json(configured, true))
          : new SchemalessJsonKeys(settings, layout);
    }
    return settings.fastPaths() && isAvro(configured)
        ? new AvroKeys(settings, layout, registry(configured))
        : new ConnectKeys(settings, layout, converter(configured, true));
  }

  private static ValueReader values(DecodeSettings settings, TargetLayout layout) {
    Map<String, String> configured = settings.valueConverter();
    if (streams(settings, configured)) {
      return withSchemas(configured)
          ? new JsonValues(settings, layout, json(configured, false))
          : new SchemalessJsonValues(settings, layout);
    }
    return settings.fastPaths() && isAvro(configured)
        ? new AvroValues(settings, layout, registry(configured))
        : new ConnectValues(settings, layout, converter(configured, false));
  }

  private static boolean streams(DecodeSettings settings, Map<String, String> configured) {
    return settings.fastPaths()
        && className(configured).equals(JSON)
        && configured.getOrDefault("schema.content", "").isEmpty();
  }

  private static boolean isAvro(Map<String, String> configured) {
    return AVRO.contains(className(configured));
  }

  private static SchemaRegistry registry(Map<String, String> configured) {
    try {
      return HttpSchemaRegistry.of(configured);
    } catch (ConfigException e) {
      throw new OncebergException(ErrorCode.INVALID_SETTING, String.valueOf(e.getMessage()), e);
    }
  }

  private static boolean withSchemas(Map<String, String> configured) {
    return Boolean.parseBoolean(configured.getOrDefault("schemas.enable", "true"));
  }

  private static String className(Map<String, String> configured) {
    return configured.getOrDefault(CONVERTER, JSON);
  }

  private static JsonConverter json(Map<String, String> configured, boolean key) {
    JsonConverter converter = new JsonConverter();
    configure(converter, configured, key);
    return converter;
  }

  private static Converter converter(Map<String, String> configured, boolean key) {
    String name =
        isAvro(configured) ? RegistryAvroConverter.class.getName() : className(configured);
    try {
      Converter converter =
          Class.forName(name).asSubclass(Converter.class).getDeclaredConstructor().newInstance();
      configure(converter, configured, key);
      return converter;
    } catch (ReflectiveOperationException | ClassCastException | LinkageError e) {
      throw new OncebergException(
          ErrorCode.INVALID_SETTING,
          "converter %s cannot be used: %s; put its jar on the class path".formatted(name, e),
          e);
    }
  }

  private static void configure(Converter converter, Map<String, String> configured, boolean key) {
    Map<String, String> own = new HashMap<>(configured);
    own.remove(CONVERTER);
    try {
      converter.configure(own, key);
    } catch (ConfigException e) {
      throw new OncebergException(
          ErrorCode.INVALID_SETTING,
          "converter %s: %s".formatted(converter.getClass().getName(), e.getMessage()),
          e);
    }
  }
}
