package io.onceberg.ingest.decode;

import static org.assertj.core.api.Assertions.assertThat;

import io.onceberg.keystore.TargetLayout;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonDecodingTest {
  private static final Schema KEY =
      SchemaBuilder.struct().name("Key").field("id", Schema.INT64_SCHEMA).build();
  private static final Schema ROW =
      Events.optional(
          "Value",
          b ->
              b.field("id", Schema.INT64_SCHEMA)
                  .field("name", Schema.OPTIONAL_STRING_SCHEMA)
                  .field("price", Schema.OPTIONAL_FLOAT64_SCHEMA));

  private static Struct row(long id, String name) {
    return new Struct(ROW).put("id", id).put("name", name).put("price", 9.5);
  }

  private static ConsumerRecord<byte[], byte[]> record(boolean schemas, Struct change) {
    return Events.record(
        Events.bytes(Events.json(schemas, true), new Struct(KEY).put("id", 7L)),
        Events.bytes(Events.json(schemas, false), change));
  }

  @ParameterizedTest
  @CsvSource({"true,true", "true,false", "false,true", "false,false"})
  void takesAnUpdateApart(boolean schemas, boolean fast) {
    DecodeSettings settings = Events.settings(schemas);
    settings = fast ? settings : Events.slow(settings);
    ConsumerRecord<byte[], byte[]> record =
        record(schemas, Events.change("u", ROW, row(7, "før"), row(7, "日本 \"q\"")));
    TargetLayout layout = Events.layoutFor(settings, record);
    try (EventDecoder decoder = Decoders.open(settings, layout)) {
      for (int i = 0; i < 3; i++) {
        Decoded.Change change = (Decoded.Change) decoder.decode(record);
        assertThat(change.origin().op()).isEqualTo(Op.UPDATE);
        assertThat(change.origin().source()).hasToString("shop.postgres.public.orders");
        assertThat(change.origin().lsn()).isEqualTo(Events.LSN);
        assertThat(change.origin().txId()).isEqualTo(555L);
        assertThat(change.origin().keyText()).hasToString("{\"id\":7}");
        assertThat(change.origin().tsMicros()).isEqualTo(1_700_000_000_456_789L);
        assertThat(change.origin().sourceTsMicros()).isEqualTo(1_700_000_000_000_123L);
        UnsafeRow row = change.columns();
        assertThat(row.getLong(SourceFit.ordinal(layout.columns(), "id"))).isEqualTo(7L);
        assertThat(row.getUTF8String(SourceFit.ordinal(layout.columns(), "name")))
            .hasToString("日本 \"q\"");
        assertThat(row.getDouble(SourceFit.ordinal(layout.columns(), "price"))).isEqualTo(9.5);
        assertThat(change.before()).isNull();
      }
    }
  }
}
