package io.onceberg.keystore.keyfile;

import java.io.IOException;
import org.apache.iceberg.io.SeekableInputStream;
import org.apache.parquet.io.DelegatingSeekableInputStream;
import org.apache.parquet.io.InputFile;

/**
 * A file of an Iceberg table as Parquet's own reader takes it. The end of the file is read at once:
 * there lie the footer, the page indexes and the bloom filters.
 */
final class ParquetInput implements InputFile {
  private final org.apache.iceberg.io.InputFile file;
  private final long length;
  private final int tail;

  /**
   * Takes a file of known length.
   *
   * @param tail how many bytes of its end to read at once
   */
  ParquetInput(org.apache.iceberg.io.InputFile file, long length, long tail) {
    this.file = file;
    this.length = length;
    this.tail = (int) Math.min(length, tail);
  }

  @Override
  public long getLength() {
    return length;
  }

  @Override
  public org.apache.parquet.io.SeekableInputStream newStream() throws IOException {
    return new Adapter(new TailStream(file.newStream(), length, tail));
  }

  private static final class Adapter extends DelegatingSeekableInputStream {
    private final TailStream stream;

    Adapter(TailStream stream) {
      super(stream);
      this.stream = stream;
    }

    @Override
    public long getPos() {
      return stream.getPos();
    }

    @Override
    public void seek(long position) {
      stream.seek(position);
    }
  }

  /** Answers from the end of the file, read with the first byte, and from the file before it. */
  private static final class TailStream extends SeekableInputStream {
    private final SeekableInputStream stream;
    private final long tailStart;
    private final byte[] tail;
    private final long length;
    private long position;
    private boolean loaded;

    TailStream(SeekableInputStream stream, long length, int tail) {
      this.stream = stream;
      this.length = length;
      this.tailStart = length - tail;
      this.tail = new byte[tail];
    }

    @Override
    public long getPos() {
      return position;
    }

    @Override
    public void seek(long next) {
      position = next;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int offset, int count) throws IOException {
      if (position >= length) {
        return -1;
      }
      int read;
      if (position >= tailStart) {
        load();
        read = (int) Math.min(count, length - position);
        System.arraycopy(tail, (int) (position - tailStart), into, offset, read);
      } else {
        stream.seek(position);
        read = stream.read(into, offset, count);
      }
      position += Math.max(0, read);
      return read;
    }

    private void load() throws IOException {
      if (!loaded) {
        stream.seek(tailStart);
        if (stream.readNBytes(tail, 0, tail.length) < tail.length) {
          throw new IOException("the file is shorter than its manifest says");
        }
        loaded = true;
      }
    }

    @Override
    public void close() throws IOException {
      stream.close();
    }
  }
}
