package io.onceberg.keystore.keyfile;

import io.onceberg.keystore.keyfile.FileColumns.FileLeaf;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.apache.parquet.bytes.ByteBufferInputStream;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.bytes.BytesUtils;
import org.apache.parquet.column.Dictionary;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.column.ValuesType;
import org.apache.parquet.column.page.DictionaryPage;
import org.apache.parquet.column.values.ValuesReader;
import org.apache.parquet.column.values.rle.RunLengthBitPackingHybridDecoder;
import org.apache.parquet.format.DataPageHeader;
import org.apache.parquet.format.DataPageHeaderV2;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.Util;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.jspecify.annotations.Nullable;

/** Decodes pages of one column chunk. */
final class PageDecoding {
  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final FileLeaf leaf;
  private final CompressionCodecName codec;
  private final Decompression decompression;
  private final int level;
  private final boolean numeric;
  private @Nullable Dictionary dictionary;

  PageDecoding(FileLeaf leaf, CompressionCodecName codec, Decompression decompression) {
    this.leaf = leaf;
    this.codec = codec;
    this.decompression = decompression;
    this.level = leaf.descriptor().getMaxDefinitionLevel();
    this.numeric =
        switch (leaf.physical()) {
          case BINARY, FIXED_LEN_BYTE_ARRAY -> false;
          case INT96 -> throw new UnknownLayoutException("INT96");
          default -> true;
        };
  }

  /** A page's header and where its content begins. */
  record Header(PageHeader header, int body) {
    static Header read(byte[] bytes, int from, int length) throws IOException {
      ByteArrayInputStream in = new ByteArrayInputStream(bytes, from, length);
      PageHeader header = Util.readPageHeader(in);
      return new Header(header, from + length - in.available());
    }

    int rows() {
      return header.isSetData_page_header_v2()
          ? header.getData_page_header_v2().getNum_values()
          : header.getData_page_header().getNum_values();
    }
  }

  void dictionary(byte[] bytes, int from, int length) throws IOException {
    Header at = Header.read(bytes, from, length);
    var info = at.header.getDictionary_page_header();
    byte[] values =
        decompression.decompress(
            codec,
            bytes,
            at.body,
            at.header.getCompressed_page_size(),
            at.header.getUncompressed_page_size());
    DictionaryPage page =
        new DictionaryPage(
            BytesInput.from(values),
            info.getNum_values(),
            Encoding.valueOf(info.getEncoding().name()));
    dictionary = page.getEncoding().initDictionary(leaf.descriptor(), page);
  }

  PageValues page(byte[] bytes, int from, int length) throws IOException {
    Header at = Header.read(bytes, from, length);
    return switch (at.header.getType()) {
      case DATA_PAGE -> first(at, bytes);
      case DATA_PAGE_V2 -> second(at, bytes);
      default -> throw new UnknownLayoutException("a page of type " + at.header.getType());
    };
  }

  private PageValues first(Header at, byte[] bytes) throws IOException {
    DataPageHeader info = at.header.getData_page_header();
    byte[] content =
        decompression.decompress(
            codec,
            bytes,
            at.body,
            at.header.getCompressed_page_size(),
            at.header.getUncompressed_page_size());
    int rows = info.getNum_values();
    int from = 0;
    byte[] levels = null;
    if (level > 0) {
      if (info.getDefinition_level_encoding() != org.apache.parquet.format.Encoding.RLE) {
        throw new UnknownLayoutException("levels as " + info.getDefinition_level_encoding());
      }
      int length = (int) INTS.get(content, 0);
      levels = levels(content, Integer.BYTES, length, rows);
      from = Integer.BYTES + length;
    }
    return values(info.getEncoding(), content, from, rows, levels);
  }

  private PageValues second(Header at, byte[] bytes) throws IOException {
    DataPageHeaderV2 info = at.header.getData_page_header_v2();
    int before = info.getRepetition_levels_byte_length() + info.getDefinition_levels_byte_length();
    int rows = info.getNum_values();
    byte[] levels =
        level == 0 || info.getNum_nulls() == 0
            ? null
            : levels(
                bytes,
                at.body + info.getRepetition_levels_byte_length(),
                info.getDefinition_levels_byte_length(),
                rows);
    if (info.getNum_nulls() == rows) {
      return new PageValues(rows, levels, level, numeric);
    }
    boolean compressed = !info.isSetIs_compressed() || info.isIs_compressed();
    byte[] content =
        decompression.decompress(
            compressed ? codec : CompressionCodecName.UNCOMPRESSED,
            bytes,
            at.body + before,
            at.header.getCompressed_page_size() - before,
            at.header.getUncompressed_page_size() - before);
    return values(info.getEncoding(), content, 0, rows, levels);
  }

  /** Definition levels; null when none says that a value is null. */
  private byte @Nullable [] levels(byte[] bytes, int from, int length, int rows)
      throws IOException {
    RunLengthBitPackingHybridDecoder decoder =
        new RunLengthBitPackingHybridDecoder(
            BytesUtils.getWidthFromMaxInt(level), new ByteArrayInputStream(bytes, from, length));
    byte[] levels = new byte[rows];
    boolean full = true;
    for (int i = 0; i < rows; i++) {
      levels[i] = (byte) decoder.readInt();
      full &= levels[i] == level;
    }
    return full ? null : levels;
  }

  private PageValues values(
      org.apache.parquet.format.Encoding stored,
      byte[] content,
      int from,
      int rows,
      byte @Nullable [] levels)
      throws IOException {
    PageValues page = new PageValues(rows, levels, level, numeric);
    if (stored == org.apache.parquet.format.Encoding.PLAIN && plain(page, content, from)) {
      return page;
    }
    Encoding encoding = Encoding.valueOf(stored.name());
    int present = present(page);
    if (present == 0) {
      return page;
    }
    ValuesReader reader = reader(encoding);
    reader.initFromPage(
        present,
        ByteBufferInputStream.wrap(ByteBuffer.wrap(content, from, content.length - from).slice()));
    fill(page, reader);
    return page;
  }

  private static int present(PageValues page) {
    int present = 0;
    for (int row = 0; row < page.rows; row++) {
      present += page.isNull(row) ? 0 : 1;
    }
    return present;
  }

  private ValuesReader reader(Encoding encoding) {
    if (!encoding.usesDictionary()) {
      return encoding.getValuesReader(leaf.descriptor(), ValuesType.VALUES);
    }
    Dictionary known = dictionary;
    if (known == null) {
      throw new UnknownLayoutException("dictionary codes without a dictionary");
    }
    return encoding.getDictionaryBasedValuesReader(leaf.descriptor(), ValuesType.VALUES, known);
  }

  private void fill(PageValues page, ValuesReader reader) {
    long[] numbers = page.numbers();
    for (int row = 0; row < page.rows; row++) {
      if (page.isNull(row)) {
        continue;
      }
      switch (leaf.physical()) {
        case INT64 -> numbers[row] = reader.readLong();
        case INT32 -> numbers[row] = reader.readInteger();
        case BOOLEAN -> numbers[row] = reader.readBoolean() ? 1 : 0;
        case FLOAT -> numbers[row] = Double.doubleToRawLongBits(reader.readFloat());
        case DOUBLE -> numbers[row] = Double.doubleToRawLongBits(reader.readDouble());
        default -> page.append(row, reader.readBytes().getBytesUnsafe());
      }
    }
  }

  // ---- plain values, read where they lie

  private boolean plain(PageValues page, byte[] content, int from) {
    switch (leaf.physical()) {
      case INT64 -> plainLongs(page, content, from);
      case INT32 -> plainInts(page, content, from);
      case FIXED_LEN_BYTE_ARRAY -> plainFixed(page, content, from);
      case BINARY -> plainBinary(page, content, from);
      default -> {
        return false;
      }
    }
    return true;
  }

  private static void plainLongs(PageValues page, byte[] content, int from) {
    long[] numbers = page.numbers();
    int at = from;
    for (int row = 0; row < page.rows; row++) {
      if (!page.isNull(row)) {
        numbers[row] = (long) LONGS.get(content, at);
        at += Long.BYTES;
      }
    }
  }

  private static void plainInts(PageValues page, byte[] content, int from) {
    long[] numbers = page.numbers();
    int at = from;
    for (int row = 0; row < page.rows; row++) {
      if (!page.isNull(row)) {
        numbers[row] = (int) INTS.get(content, at);
        at += Integer.BYTES;
      }
    }
  }

  private void plainFixed(PageValues page, byte[] content, int from) {
    int length = leaf.descriptor().getPrimitiveType().getTypeLength();
    page.share(content);
    int at = from;
    for (int row = 0; row < page.rows; row++) {
      if (!page.isNull(row)) {
        page.set(row, at, length);
        at += length;
      }
    }
  }

  private static void plainBinary(PageValues page, byte[] content, int from) {
    page.share(content);
    int at = from;
    for (int row = 0; row < page.rows; row++) {
      if (!page.isNull(row)) {
        int length = (int) INTS.get(content, at);
        page.set(row, at + Integer.BYTES, length);
        at += Integer.BYTES + length;
      }
    }
  }
}
