package io.onceberg.ingest.decode;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;

/** How one Avro value is read: into a row, as a Java object, or not at all. */
abstract class AvroStep {
  /** Reads the value into its column. */
  abstract void feed(AvroInput in, RowPlan.Planned field, RowBuilder row);

  /** Reads the value as {@link Cell#of} takes it. */
  abstract @Nullable Object read(AvroInput in);

  void skip(AvroInput in) {
    read(in);
  }

  /** Moves into the value that is there; null when it is null. */
  @Nullable AvroStep enter(AvroInput in) {
    return this;
  }

  static AvroStep of(Schema avro) {
    return switch (avro.getType()) {
      case NULL -> new NullStep();
      case BOOLEAN -> new BooleanStep();
      case INT -> new IntStep();
      case LONG -> new LongStep();
      case FLOAT -> new FloatStep();
      case DOUBLE -> new DoubleStep();
      case STRING -> new TextStep();
      case BYTES -> new BytesStep(-1);
      case FIXED -> new BytesStep(avro.getFixedSize());
      case ENUM -> new EnumStep(avro.getEnumSymbols());
      case UNION -> new UnionStep(avro.getTypes());
      case ARRAY ->
          AvroSchemas.isMapEntries(avro)
              ? new MapStep(
                  of(avro.getElementType().getField("key").schema()),
                  of(avro.getElementType().getField("value").schema()))
              : new ArrayStep(of(avro.getElementType()));
      case MAP -> new MapStep(new TextStep(), of(avro.getValueType()));
      case RECORD -> new RecordStep(avro);
    };
  }

  private static final class NullStep extends AvroStep {
    @Override
    void feed(AvroInput in, RowPlan.Planned field, RowBuilder row) {
      row.ofNull(field);
    }

    @Override
    @Nullable Object read(AvroInput in) {
      return null;
    }

    @Override
    @Nullable AvroStep enter(AvroInput in) {
      return null;
    }
  }

  private static final class BooleanStep extends AvroStep {
    @Override
    void feed(AvroInput in, RowPlan.Planned field, RowBuilder row) {
      row.ofBoolean(field, in.readBoolean());
    }

    @Override
    Object read(AvroInput in) {
      return in.readBoolean();
    }
  }

  private static final class IntStep extends AvroStep {
    @Override
    void feed(AvroInput in, RowPlan.Planned field, RowBuilder row) {
      row.ofInteger(field, in.readInt());
    }

    @Override
    Object read(AvroInput in) {
      return in.readInt();
    }

    @Override
    void skip(AvroInput in) {
      in.readInt();
    }
  }

  private static final class LongStep extends AvroStep {
    @Override
    void feed(AvroInput in, RowPlan.Planned field, RowBuilder row) {
      row.ofInteger(field, in.readLong());
    }

    @Override
    Object read(AvroInput in) {
      return in.readLong();
    }

    @Override
    void skip(AvroInput in) {
      in.readLong();
    }
  }

  private static final class FloatStep extends AvroStep {
    @Override
    void feed(AvroInput in, RowPlan.Planned field, RowBuilder row) {
      row.ofDouble(field, in.readFloat());
    }

    @Override
    Object read(AvroInput in) {
      return in.readFloat();
    }
  }

  private static final class DoubleStep extends AvroStep {
    @Override
    void feed(AvroInput in, RowPlan.Planned field, RowBuilder row) {
      row.ofDouble(field, in.readDouble());
    }

    @Override
    Object read(AvroInput in) {
      return in.readDouble();
    }
  }

  /** Text; what is not UTF-8 is mended as Java's strings mend it. */
  static final class TextStep extends AvroStep {
    @Override
    void feed(AvroInput in, RowPlan.Planned field, RowBuilder row) {
      int length = length(in);
      int from = in.take(length);
      if (isText(in.bytes(), from, length)) {
        row.ofText(field, in.bytes(), from, length);
      } else {
        byte[] mended =
            new String(in.bytes(), from, length, StandardCharsets.UTF_8)
                .getBytes(StandardCharsets.UTF_8);
        row.ofText(field, mended, 0, mended.length);
      }
    }

    @Override
    String read(AvroInput in) {
      int length = length(in);
      return new String(in.bytes(), in.take(length), length, StandardCharsets.UTF_8);
    }

    @Override
    void skip(AvroInput in) {
      in.take(length(in));
    }

    private static boolean isText(byte[] bytes, int from, int length) {
      for (int i = from; i < from + length; i++) {
        if (bytes[i] < 0) {
          return UTF8String.fromBytes(bytes, from, length).isValid();
        }
      }
      return true;
    }
  }

  static int length(AvroInput in) {
    long length = in.readLong();
    int end = in.position();
    in.take(length);
    in.moveTo(end);
    return (int) length;
  }

  private static final class BytesStep extends AvroStep {
    private final int fixed;

    BytesStep(int fixed) {
      this.fixed = fixed;
    }

    @Override
    void feed(AvroInput in, RowPlan.Planned field, RowBuilder row) {
      int length = fixed < 0 ? length(in) : fixed;
      row.ofBytes(field, in.bytes(), in.take(length), length);
    }

    @Override
    Object read(AvroInput in) {
      int length = fixed < 0 ? length(in) : fixed;
      int from = in.take(length);
      return Arrays.copyOfRange(in.bytes(), from, from + length);
    }

    @Override
    void skip(AvroInput in) {
      in.take(fixed < 0 ? length(in) : fixed);
    }
  }

  private static final class EnumStep extends AvroStep {
    private final byte[][] symbols;

    EnumStep(List<String> symbols) {
      this.symbols =
          symbols.stream().map(s -> s.getBytes(StandardCharsets.UTF_8)).toArray(byte[][]::new);
    }

    private byte[] symbol(AvroInput in) {
      int index = in.readInt();
      if (index < 0 || index >= symbols.length) {
        throw RefusedValue.undecodable("not Avro: no enum symbol " + index);
      }
      return symbols[index];
    }

    @Override
    void feed(AvroInput in, RowPlan.Planned field, RowBuilder row) {
      byte[] symbol = symbol(in);
      row.ofText(field, symbol, 0, symbol.length);
    }

    @Override
    Object read(AvroInput in) {
      return new String(symbol(in), StandardCharsets.UTF_8);
    }
  }

  private static final class UnionStep extends AvroStep {
    private final AvroStep[] branches;

    UnionStep(List<Schema> branches) {
      this.branches = branches.stream().map(AvroStep::of).toArray(AvroStep[]::new);
    }

    private AvroStep branch(AvroInput in) {
      int index = in.readInt();
      if (index < 0 || index >= branches.length) {
        throw RefusedValue.undecodable("not Avro: no union branch " + index);
      }
      return branches[index];
    }

    @Override
    void feed(AvroInput in, RowPlan.Planned field, RowBuilder row) {
      branch(in).feed(in, field, row);
    }

    @Override
    @Nullable Object read(AvroInput in) {
      return branch(in).read(in);
    }

    @Override
    void skip(AvroInput in) {
      branch(in).skip(in);
    }

    @Override
    @Nullable AvroStep enter(AvroInput in) {
      return branch(in).enter(in);
    }
  }

  /** Values that are Java objects on their way into a column. */
  private abstract static class NestedStep extends AvroStep {
    @Override
    void feed(AvroInput in, RowPlan.Planned field, RowBuilder row) {
      row.of(field, read(in));
    }
  }

  private static final class ArrayStep extends NestedStep {
    private final AvroStep element;

    ArrayStep(AvroStep element) {
      this.element = element;
    }

    @Override
    Object read(AvroInput in) {
      List<@Nullable Object> list = new ArrayList<>();
      for (long count = in.readBlock(); count > 0; count = in.readBlock()) {
        for (long i = 0; i < count; i++) {
          list.add(element.read(in));
        }
      }
      return list;
    }
  }

  private static final class MapStep extends NestedStep {
    private final AvroStep key;
    private final AvroStep value;

    MapStep(AvroStep key, AvroStep value) {
      this.key = key;
      this.value = value;
    }

    @Override
    Object read(AvroInput in) {
      Map<@Nullable Object, @Nullable Object> map = new LinkedHashMap<>();
      for (long count = in.readBlock(); count > 0; count = in.readBlock()) {
        for (long i = 0; i < count; i++) {
          map.put(key.read(in), value.read(in));
        }
      }
      return map;
    }
  }

  /** A record: a struct column, or one of the records that an envelope is made of. */
  static final class RecordStep extends NestedStep {
    private final String[] names;
    private final AvroStep[] steps;

    RecordStep(Schema avro) {
      List<Schema.Field> fields = avro.getFields();
      names = fields.stream().map(f -> f.name().intern()).toArray(String[]::new);
      steps = fields.stream().map(f -> of(f.schema())).toArray(AvroStep[]::new);
    }

    int size() {
      return steps.length;
    }

    String name(int index) {
      return names[index];
    }

    AvroStep step(int index) {
      return steps[index];
    }

    @Override
    Object read(AvroInput in) {
      Map<String, @Nullable Object> map = new LinkedHashMap<>();
      for (int i = 0; i < steps.length; i++) {
        map.put(names[i], steps[i].read(in));
      }
      return map;
    }

    @Override
    void skip(AvroInput in) {
      for (AvroStep step : steps) {
        step.skip(in);
      }
    }

    /** Reads the record's fields into a row. */
    void row(AvroInput in, RowPlan plan, RowBuilder row) {
      for (int i = 0; i < steps.length; i++) {
        RowPlan.Planned field = plan.find(names[i], i);
        if (field == null || field.cell() == null) {
          steps[i].skip(in);
        } else {
          steps[i].feed(in, field, row);
        }
      }
    }
  }
}
