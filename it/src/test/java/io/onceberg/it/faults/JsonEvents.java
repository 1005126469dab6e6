package io.onceberg.it.faults;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Map;

/** Kafka Connect's JSON without schema. */
final class JsonEvents implements Shop.Encoding {
  private static final String VALUE =
      "{\"before\":null,\"after\":{\"id\":%d,\"name\":\"%s\"},\"source\":{\"version\":\"3.6.1.Final\","
          + "\"connector\":\"postgresql\",\"name\":\"shop\",\"ts_ms\":1700000000000,"
          + "\"snapshot\":\"false\",\"db\":\"app\",\"schema\":\"public\",\"table\":\"%s\","
          + "\"txId\":7,\"lsn\":%d,\"xmin\":null},\"op\":\"c\",\"ts_ms\":1700000000123,"
          + "\"transaction\":null}";

  @Override
  public byte[] key(String topic, long id) {
    return "{\"id\":%d}".formatted(id).getBytes(UTF_8);
  }

  @Override
  public byte[] value(String topic, long id, String table) {
    return VALUE.formatted(id, "n" + id, table, id).getBytes(UTF_8);
  }

  @Override
  public Map<String, String> settings() {
    return Map.of(
        "key.converter.schemas.enable", "false", "value.converter.schemas.enable", "false");
  }
}
