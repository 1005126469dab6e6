package io.onceberg.ingest.decode;

import static org.assertj.core.api.Assertions.assertThat;

import io.onceberg.keystore.TargetLayout;
import java.util.List;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.Struct;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class TypesTest {
  private static final DecodeSettings SETTINGS = Events.settings(true);

  static Stream<Arguments> everyTypeOnEveryPath() {
    return Zoo.all().stream()
        .flatMap(animal -> Stream.of(Paths.values()).map(path -> Arguments.of(animal, path)));
  }

  @ParameterizedTest
  @MethodSource("everyTypeOnEveryPath")
  void landsInTheTypeAUserExpects(Zoo.Animal animal, Paths path) {
    Schema row = Events.optional("Value", b -> b.field(animal.name(), animal.schema()));
    Struct after = new Struct(row).put(animal.name(), animal.value());
    ConsumerRecord<byte[], byte[]> record = path.record(null, Events.change("c", row, null, after));

    TargetLayout layout = path.layout(SETTINGS, record);
    assertThat(plain(layout.columns().fields().get(0).type().toString())).isEqualTo(animal.type());

    Decoded decoded = path.decode(SETTINGS, layout, record);
    assertThat(decoded).isInstanceOf(Decoded.Change.class);
    assertThat(Rows.values(((Decoded.Change) decoded).columns(), layout.columns()))
        .isEqualTo(Rows.of(animal.name(), animal.row()));
  }

  private static String plain(String type) {
    return type.replaceAll("\\d+: (\\w+): optional ", "$1 ");
  }

  @ParameterizedTest
  @EnumSource(Paths.class)
  void nullsLandAsNulls(Paths path) {
    List<Zoo.Animal> zoo = Zoo.all();
    Schema row = Events.optional("Value", b -> zoo.forEach(a -> b.field(a.name(), a.schema())));
    ConsumerRecord<byte[], byte[]> record =
        path.record(null, Events.change("c", row, null, new Struct(row)));
    TargetLayout layout = path.layout(SETTINGS, record);
    Decoded.Change change = (Decoded.Change) path.decode(SETTINGS, layout, record);
    assertThat(Rows.values(change.columns(), layout.columns()).values()).containsOnlyNulls();
  }
}
