package io.onceberg.keystore;

import static org.apache.iceberg.types.Types.NestedField.optional;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.iceberg.types.Types;
import org.apache.spark.SparkConf;
import org.apache.spark.serializer.JavaSerializer;
import org.apache.spark.serializer.KryoSerializer;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PinnedTargetTest {
  static List<Serializer> serializers() {
    SparkConf conf = new SparkConf();
    return List.of(new JavaSerializer(conf), new KryoSerializer(conf));
  }

  @ParameterizedTest
  @MethodSource("serializers")
  void worksOnTheOtherSideOfASerializer(Serializer serializer) {
    TableSchemas schemas = new TableSchemas(Lakehouse.CATALOG, Lakehouse.events("id"));
    Types.StructType columns =
        Types.StructType.of(
            optional(1, "id", Types.LongType.get()), optional(2, "v", Types.StringType.get()));
    TargetTables tables =
        schemas.evolve(schemas.create(), List.of(new SourceSchema(columns, null)));
    store(tables, copy(serializer, schemas.pin(tables)), 7L);

    TaskTarget target = copy(serializer, schemas.pin(tables));
    assertThat(target.settings()).isEqualTo(schemas.pin(tables).settings());
    assertThat(target.layout()).isEqualTo(schemas.layout(tables));
    assertThat(target.rowType().fieldNames()).containsExactly("id", "v", "_cdc", "loaded_date");
    KeyHits hits = target.lookup().find(List.of(identity(target, 6L), identity(target, 7L)));
    assertThat(hits.stored().get(0)).isFalse();
    assertThat(hits.stored().get(1)).isTrue();
    assertThat(hits.payloadHashes()).containsExactly(0, 70);
    assertThat(target.quarantined(List.of(java.nio.ByteBuffer.allocate(16)))).isEmpty();
  }

  private static void store(TargetTables tables, TaskTarget target, long id) {
    TargetWriter writer = target.writer(Lakehouse.TODAY, 0, 0);
    Row row = RowFactory.create(id, "x", null, java.sql.Date.valueOf("2026-05-23"));
    writer.writeRow(Lakehouse.internal(target.rowType(), row));
    writer.writeKeys(List.of(identity(target, id)), new long[] {id * 10});
    Lakehouse.append(tables, writer.finish());
  }

  private static UnsafeRow identity(TaskTarget target, long id) {
    return Lakehouse.unsafe(target.identityType(), RowFactory.create(id));
  }

  /** Through bytes, and with an image that this JVM has not unpacked yet. */
  private static TaskTarget copy(Serializer serializer, TaskTarget target) {
    TableImage.forgetAll();
    var instance = serializer.newInstance();
    var tag = scala.reflect.ClassTag$.MODULE$.<TaskTarget>apply(TaskTarget.class);
    return instance.deserialize(instance.serialize(target, tag), tag);
  }
}
