package io.onceberg.keystore.keyfile;

import io.onceberg.keystore.keyfile.FileColumns.FileLeaf;
import java.util.List;
import org.apache.iceberg.types.Type;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.spark.sql.catalyst.InternalRow;
import org.jspecify.annotations.Nullable;

/**
 * The values that a batch has in one lead column, each once and in order. Used by one thread.
 *
 * <p>A value of a page is looked for in a small set of bits first. Nearly all values of a page that
 * merely overlaps the batch end there, at the price of one read from the processor's cache.
 */
abstract class LeadValues {
  /** Bits for each value of the batch, and the most altogether: half a MiB. */
  private static final int BITS_A_VALUE = 32;

  private static final int MOST_BITS = 1 << 22;
  private static final int LEAST_BITS = 1 << 10;

  private long[] bits = {};
  private int shift;
  private @Nullable PrimitiveType hashedFor;
  private long[] hashes = {};

  private final int[] places;
  private int[] firstPlaces = {};

  LeadValues(int[] places) {
    this.places = places;
  }

  /**
   * The values of some identities.
   *
   * @param position of the lead column in the rows
   * @param places of the rows in the batch
   */
  static LeadValues of(Type type, int position, List<? extends InternalRow> rows, int[] places) {
    LeadType form = LeadType.of(type);
    return form.numeric()
        ? NumberLeads.of(form, type, position, rows, places)
        : BytesLeads.of(form, type, position, rows, places);
  }

  /** How many there are. */
  abstract int count();

  /**
   * Puts the places of the identities into the order of their values.
   *
   * @param order indexes into the rows, ordered by their values
   * @param firsts where in it the rows of each value begin, and after the last value its end
   */
  final void order(int[] order, int[] firsts) {
    firstPlaces = firsts;
    int[] before = places.clone();
    for (int i = 0; i < order.length; i++) {
      places[i] = before[order[i]];
    }
  }

  /** Places of the identities in the batch, in the order of their values. */
  final int[] places() {
    return places;
  }

  /** Where the places of a value's identities begin; of the value after the last one, their end. */
  final int firstPlace(int value) {
    return firstPlaces[value];
  }

  /** Whether any may lie within the bounds of a file as its manifest has them. */
  abstract boolean mayBeIn(byte @Nullable [] lower, byte @Nullable [] upper);

  /** The first one that is not below a page. */
  abstract int from(PageBounds bounds, int page);

  /** The first one that is above a page. */
  abstract int until(PageBounds bounds, int page);

  /** Where a value lies against the least one of a page: negative, zero or positive. */
  abstract int compareToLeast(int value, PageBounds bounds, int page);

  /** Where a value lies against the greatest one of a page. */
  abstract int compareToGreatest(int value, PageBounds bounds, int page);

  /**
   * Finds the rows of a page that have any of these values.
   *
   * @param from the first value that can be on the page
   * @param until the value after the last one that can
   * @param firstRow added to the places of rows within the page
   */
  abstract void match(PageValues page, int from, int until, int firstRow, Matches matches);

  /** The value's hash as the filter of a file takes it. */
  abstract long hash(int value, FileLeaf leaf, ValueHash hash);

  /** Whether filters of this physical form can be asked. */
  boolean canBeFiltered(FileLeaf leaf) {
    return switch (leaf.physical()) {
      case INT32, INT64, FIXED_LEN_BYTE_ARRAY -> true;
      case BINARY -> leaf.type().typeId() != Type.TypeID.DECIMAL;
      default -> false;
    };
  }

  /** Hashes of all values for files of this form. */
  long[] hashes(FileLeaf leaf) {
    PrimitiveType form = leaf.descriptor().getPrimitiveType();
    PrimitiveType known = hashedFor;
    if (known == null
        || known.getPrimitiveTypeName() != form.getPrimitiveTypeName()
        || known.getTypeLength() != form.getTypeLength()) {
      ValueHash hash = new ValueHash();
      hashes = new long[count()];
      for (int i = 0; i < hashes.length; i++) {
        hashes[i] = hash(i, leaf, hash);
      }
      hashedFor = form;
    }
    return hashes;
  }

  // ---- the set of bits

  /** Takes room for the values of the batch. */
  final void openBits(int values) {
    long wanted = Math.max(LEAST_BITS, Math.min(MOST_BITS, (long) values * BITS_A_VALUE));
    int width = Long.SIZE - Long.numberOfLeadingZeros(wanted - 1);
    bits = new long[1 << (width - 6)];
    shift = Long.SIZE - width;
  }

  final boolean hasBits() {
    return bits.length > 0;
  }

  final void addBit(long mixed) {
    int bit = (int) (mixed >>> shift);
    bits[bit >>> 6] |= 1L << bit;
  }

  final boolean mayHave(long mixed) {
    int bit = (int) (mixed >>> shift);
    return (bits[bit >>> 6] >>> bit & 1) != 0;
  }
}
