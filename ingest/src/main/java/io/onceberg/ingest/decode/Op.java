package io.onceberg.ingest.decode;

import org.apache.spark.unsafe.types.UTF8String;

/** The kinds of change that become a row. */
@SuppressWarnings("ImmutableEnumChecker") // the UTF8String is never written to
public enum Op {
  CREATE('c'),
  UPDATE('u'),
  DELETE('d'),
  READ('r'),
  TRUNCATE('t');

  private final char letter;
  private final UTF8String text;

  Op(char letter) {
    this.letter = letter;
    this.text = UTF8String.fromString(String.valueOf(letter));
  }

  /** The kind of change that a letter stands for. */
  public static Op of(String letter) {
    for (Op op : values()) {
      if (letter.length() == 1 && letter.charAt(0) == op.letter) {
        return op;
      }
    }
    throw new IllegalArgumentException("no change has op '" + letter + "'");
  }

  /** Debezium's letter for it. */
  public char letter() {
    return letter;
  }

  public UTF8String text() {
    return text;
  }
}
