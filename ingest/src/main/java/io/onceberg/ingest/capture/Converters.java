package io.onceberg.ingest.capture;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import io.onceberg.ingest.config.CaptureConfig;
import java.lang.reflect.InvocationTargetException;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.connect.header.Header;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.storage.Converter;
import org.apache.kafka.connect.storage.SimpleHeaderConverter;

/** Turns a source record into the bytes that a Connect worker with the same converters writes. */
final class Converters {
  private final Converter key;
  private final Converter value;
  private final SimpleHeaderConverter headers = new SimpleHeaderConverter();

  Converters(CaptureConfig config) {
    this.key = converter("key.converter", config.keyConverter(), true);
    this.value = converter("value.converter", config.valueConverter(), false);
    headers.configure(Map.of("converter.type", "header"));
  }

  ProducerRecord<byte[], byte[]> convert(SourceRecord source) {
    String topic = source.topic();
    RecordHeaders converted = new RecordHeaders();
    for (Header header : source.headers()) {
      converted.add(
          header.key(),
          headers.fromConnectHeader(topic, header.key(), header.schema(), header.value()));
    }
    return new ProducerRecord<>(
        topic,
        source.kafkaPartition(),
        source.timestamp(),
        key.fromConnectData(topic, converted, source.keySchema(), source.key()),
        value.fromConnectData(topic, converted, source.valueSchema(), source.value()),
        converted);
  }

  private static Converter converter(String setting, Map<String, String> config, boolean forKey) {
    Map<String, String> properties = new TreeMap<>(config);
    String name = properties.remove("converter");
    try {
      Converter made =
          Class.forName(name).asSubclass(Converter.class).getDeclaredConstructor().newInstance();
      made.configure(properties, forKey);
      return made;
    } catch (ClassNotFoundException
        | ClassCastException
        | NoSuchMethodException
        | InstantiationException
        | IllegalAccessException
        | InvocationTargetException e) {
      throw new OncebergException(
          ErrorCode.INVALID_SETTING,
          "%s=%s is not a Kafka Connect converter on the class path".formatted(setting, name),
          e);
    }
  }
}
