package io.onceberg.keystore.keyfile;

import java.io.IOException;
import org.apache.parquet.io.OutputFile;
import org.apache.parquet.io.PositionOutputStream;

/** A new file of an Iceberg table as Parquet's own writer takes it. */
final class ParquetOutput implements OutputFile {
  private final org.apache.iceberg.io.OutputFile file;
  private long length;

  ParquetOutput(org.apache.iceberg.io.OutputFile file) {
    this.file = file;
  }

  @Override
  public PositionOutputStream create(long blockSizeHint) {
    return new Adapter(file.create());
  }

  @Override
  public PositionOutputStream createOrOverwrite(long blockSizeHint) {
    return new Adapter(file.createOrOverwrite());
  }

  @Override
  public boolean supportsBlockSize() {
    return false;
  }

  @Override
  public long defaultBlockSize() {
    return 0;
  }

  @Override
  public String getPath() {
    return file.location();
  }

  /** How many bytes were written. */
  long length() {
    return length;
  }

  private final class Adapter extends PositionOutputStream {
    private final org.apache.iceberg.io.PositionOutputStream stream;

    Adapter(org.apache.iceberg.io.PositionOutputStream stream) {
      this.stream = stream;
    }

    @Override
    public long getPos() {
      return length;
    }

    @Override
    public void write(int b) throws IOException {
      stream.write(b);
      length++;
    }

    @Override
    public void write(byte[] bytes, int offset, int count) throws IOException {
      stream.write(bytes, offset, count);
      length += count;
    }

    @Override
    public void flush() throws IOException {
      stream.flush();
    }

    @Override
    public void close() throws IOException {
      stream.close();
    }
  }
}
