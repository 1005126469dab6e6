package io.onceberg.it.bench;

import io.debezium.data.Envelope;
import io.debezium.schema.SchemaFactory;
import io.debezium.time.Date;
import io.debezium.time.MicroTimestamp;
import io.debezium.time.ZonedTimestamp;
import org.apache.kafka.connect.data.Decimal;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;

/** The schemas that Debezium's Postgres connector gives to changes of {@code public.orders}. */
final class OrderSchemas {
  static final String SERVER = "bench";
  static final String DATABASE = "shop";
  static final int SCALE = 2;

  /** The record key. */
  static final Schema KEY =
      SchemaBuilder.struct()
          .name(SERVER + ".public.orders.Key")
          .field("id", Schema.INT64_SCHEMA)
          .build();

  /** A row of twelve columns. */
  static final Schema ROW =
      SchemaBuilder.struct()
          .name(SERVER + ".public.orders.Value")
          .optional()
          .field("id", Schema.INT64_SCHEMA)
          .field("customer_id", Schema.OPTIONAL_INT64_SCHEMA)
          .field("order_number", Schema.OPTIONAL_STRING_SCHEMA)
          .field("status", Schema.OPTIONAL_STRING_SCHEMA)
          .field(
              "amount",
              Decimal.builder(SCALE)
                  .parameter("connect.decimal.precision", "12")
                  .optional()
                  .build())
          .field("quantity", Schema.OPTIONAL_INT32_SCHEMA)
          .field("weight", Schema.OPTIONAL_FLOAT64_SCHEMA)
          .field("gift", Schema.OPTIONAL_BOOLEAN_SCHEMA)
          .field("placed_on", Date.builder().optional().build())
          .field("created_at", MicroTimestamp.builder().optional().build())
          .field("updated_at", ZonedTimestamp.builder().optional().build())
          .field("note", Schema.OPTIONAL_STRING_SCHEMA)
          .build();

  /** The {@code source} block. */
  static final Schema SOURCE =
      SchemaFactory.get()
          .sourceInfoSchemaBuilder()
          .name("io.debezium.connector.postgresql.Source")
          .field("schema", Schema.STRING_SCHEMA)
          .field("table", Schema.STRING_SCHEMA)
          .field("txId", Schema.OPTIONAL_INT64_SCHEMA)
          .field("lsn", Schema.OPTIONAL_INT64_SCHEMA)
          .field("xmin", Schema.OPTIONAL_INT64_SCHEMA)
          .field("origin", Schema.OPTIONAL_STRING_SCHEMA)
          .field("origin_lsn", Schema.OPTIONAL_INT64_SCHEMA)
          .build();

  /** The whole change event. */
  static final Schema ENVELOPE =
      Envelope.defineSchema()
          .withName(SERVER + ".public.orders.Envelope")
          .withRecord(ROW)
          .withSource(SOURCE)
          .withTransaction(SchemaFactory.get().transactionBlockSchema())
          .build()
          .schema();

  private OrderSchemas() {}
}
