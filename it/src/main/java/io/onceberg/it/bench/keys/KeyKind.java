package io.onceberg.it.bench.keys;

import static org.apache.iceberg.types.Types.NestedField.optional;

import io.onceberg.it.bench.Rng;
import io.onceberg.keystore.SourceSchema;
import io.onceberg.keystore.TargetKind;
import io.onceberg.keystore.TargetName;
import io.onceberg.keystore.TargetSettings;
import io.onceberg.keystore.TargetSettings.NewColumns;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter;
import org.apache.spark.unsafe.types.UTF8String;

/** Kinds of identities of which only the size is of interest here: keys without rows. */
enum KeyKind {
  /** A key column of Iceberg's type uuid: 16 bytes. */
  UUID("uuid", "UUID kept as 16 bytes") {
    @Override
    TargetSettings settings() {
      return settings(TargetKind.EVENTS, List.of("id"));
    }

    @Override
    SourceSchema schema() {
      return new SourceSchema(id(Types.UUIDType.get()), null);
    }

    @Override
    UnsafeRow identity(long number) {
      return new Event().at(number).identity();
    }

    @Override
    long payloadHash(long number) {
      return Rng.mix(number ^ 0x2545f4914f6cdd1dL);
    }
  },

  /** Changes as Postgres brings them: lsn, txid, op and a bigint key. */
  CHANGELOG("changelog", "lsn, txid, op, bigint key") {
    @Override
    TargetSettings settings() {
      return settings(TargetKind.CHANGELOG, List.of());
    }

    @Override
    SourceSchema schema() {
      return new SourceSchema(id(Types.LongType.get()), id(Types.LongType.get()));
    }

    /** Records of uneven length, twelve changes a transaction, two transactions at once. */
    @Override
    UnsafeRow identity(long number) {
      long bits = Rng.mix(number * 0x9e3779b97f4a7c15L + 7);
      UnsafeRowWriter row = new UnsafeRowWriter(8);
      row.resetRowWriter();
      row.write(0, 0);
      row.write(1, SOURCE);
      row.write(2, 24_023_128 + number * 272 + Long.remainderUnsigned(bits, 200));
      row.write(3, 751 + number / 24 * 2 + (bits >>> 63));
      row.write(4, op((int) ((bits >>> 32) % 10)));
      int before = row.cursor();
      UnsafeRowWriter key = new UnsafeRowWriter(row, 1);
      key.resetRowWriter();
      key.write(0, bits >>> 44);
      row.setOffsetAndSizeFromPreviousCursor(5, before);
      row.setNullAt(6);
      row.setNullAt(7);
      return row.getRow().copy();
    }

    @Override
    long payloadHash(long number) {
      return 0;
    }
  };

  private static final UTF8String SOURCE = UTF8String.fromString(TargetRows.SOURCE);
  private static final UTF8String CREATE = UTF8String.fromString("c");
  private static final UTF8String UPDATE = UTF8String.fromString("u");
  private static final UTF8String DELETE = UTF8String.fromString("d");

  private final String label;
  private final String title;

  KeyKind(String label, String title) {
    this.label = label;
    this.title = title;
  }

  private static UTF8String op(int die) {
    return die < 3 ? CREATE : die < 9 ? UPDATE : DELETE;
  }

  private static Types.StructType id(Type type) {
    return Types.StructType.of(optional(1, "id", type));
  }

  String label() {
    return label;
  }

  String title() {
    return title;
  }

  TargetSettings settings(TargetKind kind, List<String> key) {
    return new TargetSettings(
        new TargetName(Ingest.EVENTS.namespace(), label),
        kind,
        key,
        List.of(),
        0,
        NewColumns.APPEND,
        Map.of());
  }

  abstract TargetSettings settings();

  abstract SourceSchema schema();

  /** The identity of this number, in the order of the keys table's columns. */
  abstract UnsafeRow identity(long number);

  /** What lies beside it; 0 where nothing does. */
  abstract long payloadHash(long number);
}
