package io.onceberg.it.bench.keys;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.apache.iceberg.types.Types.NestedField.optional;

import io.onceberg.it.bench.Rng;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * One event of about 1 KB, made from its number alone: the same number is the same event, wherever
 * it is made. The key is 36 random characters. An object is used again for the next event.
 */
final class Event {
  static final String KEY = "event_id";
  static final int KEY_LENGTH = 36;
  static final Types.StructType COLUMNS =
      Types.StructType.of(
          optional(1, KEY, Types.StringType.get()),
          optional(2, "kind", Types.StringType.get()),
          optional(3, "customer_id", Types.LongType.get()),
          optional(4, "created_at", Types.LongType.get()),
          optional(5, "amount_cents", Types.LongType.get()),
          optional(6, "quantity", Types.LongType.get()),
          optional(7, "weight", Types.DoubleType.get()),
          optional(8, "gift", Types.BooleanType.get()),
          optional(9, "note", Types.StringType.get()));

  /** 2026-01-15T10:00:00Z in microseconds. */
  private static final long EPOCH_MICROS = 1_768_471_200_000_000L;

  private static final byte[] HEX = "0123456789abcdef".getBytes(US_ASCII);
  private static final String[] KINDS = {"view", "click", "cart", "order", "refund"};
  private static final int NOTE_LENGTH = 780;
  private static final byte[][] PHRASES = phrases();

  private final byte[] id = new byte[KEY_LENGTH];
  private final byte[] note = new byte[NOTE_LENGTH + 64];
  private int noteLength;
  private long number;
  private long salt;

  private static byte[][] phrases() {
    String[] words =
        ("leave at the back door please call before noon gift wrap fragile second floor ring twice"
                + " neighbour has key invoice number attached paid by card no change asked about"
                + " delivery again")
            .split(" ", -1);
    byte[][] phrases = new byte[256][];
    Rng rng = new Rng(1);
    for (int i = 0; i < phrases.length; i++) {
      String phrase =
          "%s %s ".formatted(words[rng.below(words.length)], words[rng.below(words.length)]);
      phrases[i] = phrase.getBytes(US_ASCII);
    }
    return phrases;
  }

  /** Becomes the event of this number. */
  Event at(long itsNumber) {
    number = itsNumber;
    salt = Rng.mix(number * 0x9e3779b97f4a7c15L + 1);
    writeId(salt, Rng.mix(salt ^ 0x5851f42d4c957f2dL));
    noteLength = 0;
    long bits = salt;
    while (noteLength < NOTE_LENGTH) {
      bits = Rng.mix(bits + 1);
      for (int i = 0; i < Long.SIZE && noteLength < NOTE_LENGTH; i += Byte.SIZE) {
        byte[] phrase = PHRASES[(int) (bits >>> i) & 0xff];
        System.arraycopy(phrase, 0, note, noteLength, phrase.length);
        noteLength += phrase.length;
      }
    }
    return this;
  }

  /** Laid out like a UUID. */
  private void writeId(long high, long low) {
    int at = 0;
    for (int nibble = 0; nibble < 32; nibble++) {
      if (nibble == 8 || nibble == 12 || nibble == 16 || nibble == 20) {
        id[at++] = '-';
      }
      long half = nibble < 16 ? high : low;
      id[at++] = HEX[(int) (half >>> (60 - 4 * (nibble & 15))) & 15];
    }
  }

  long number() {
    return number;
  }

  String id() {
    return new String(id, US_ASCII);
  }

  UTF8String kind() {
    return UTF8String.fromString(kindText());
  }

  private String kindText() {
    return KINDS[(int) Long.remainderUnsigned(mixed(1), KINDS.length)];
  }

  private long customerId() {
    return 1 + Long.remainderUnsigned(mixed(2), 50_000);
  }

  /** Microseconds since the epoch. */
  long createdAt() {
    return EPOCH_MICROS + number * 1_000 + Long.remainderUnsigned(mixed(3), 1_000);
  }

  private long amountCents() {
    return 99 + Long.remainderUnsigned(mixed(4), 9_999_900);
  }

  private long quantity() {
    return 1 + Long.remainderUnsigned(mixed(5), 40);
  }

  private double weight() {
    return Long.remainderUnsigned(mixed(6), 100_000) / 1000.0;
  }

  private boolean gift() {
    return (mixed(7) & 7) == 0;
  }

  /** The event's own position in the source's log. */
  long lsn() {
    return 24_023_128 + number * 1_400;
  }

  long txId() {
    return 751 + number / 12;
  }

  private long mixed(int column) {
    return Rng.mix(salt + column * 0x9e3779b97f4a7c15L);
  }

  /** Writes {@link #COLUMNS}. */
  void write(UnsafeRowWriter row) {
    row.write(0, id);
    row.write(1, kind());
    row.write(2, customerId());
    row.write(3, createdAt());
    row.write(4, amountCents());
    row.write(5, quantity());
    row.write(6, weight());
    row.write(7, gift());
    row.write(8, note, 0, noteLength);
  }

  /** The identity in the keys table: a row of its own. */
  UnsafeRow identity() {
    UnsafeRowWriter row = new UnsafeRowWriter(1, KEY_LENGTH + 4);
    row.resetRowWriter();
    row.write(0, id);
    return row.getRow().copy();
  }

  /** The record's key as Kafka Connect's JsonConverter without schemas writes it. */
  String keyJson() {
    return "{\"" + KEY + "\":\"" + id() + "\"}";
  }

  /** The row as the {@code after} of Debezium's JSON. */
  void appendRow(StringBuilder text) {
    text.append("{\"").append(KEY).append("\":\"").append(id());
    text.append("\",\"kind\":\"").append(kindText());
    text.append("\",\"customer_id\":").append(customerId());
    text.append(",\"created_at\":").append(createdAt());
    text.append(",\"amount_cents\":").append(amountCents());
    text.append(",\"quantity\":").append(quantity());
    text.append(",\"weight\":").append(weight());
    text.append(",\"gift\":").append(gift());
    text.append(",\"note\":\"").append(new String(note, 0, noteLength, US_ASCII)).append("\"}");
  }
}
