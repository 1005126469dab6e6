package io.onceberg.keystore.keyfile;

import com.github.luben.zstd.ZstdDecompressCtx;
import java.io.IOException;
import java.util.Arrays;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.hadoop.CodecFactory;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.jspecify.annotations.Nullable;

/** Decompresses pages for one thread. */
final class Decompression implements AutoCloseable {
  private @Nullable ZstdDecompressCtx zstd;
  private @Nullable CodecFactory others;

  /** The bytes of a range, decompressed; always a new array. */
  byte[] decompress(CompressionCodecName codec, byte[] bytes, int from, int length, int size)
      throws IOException {
    return switch (codec) {
      case UNCOMPRESSED -> Arrays.copyOfRange(bytes, from, from + length);
      case ZSTD -> zstd(bytes, from, length, size);
      default -> {
        CodecFactory factory = others;
        if (factory == null) {
          factory = new CodecFactory(new Configuration(), 0);
          others = factory;
        }
        yield factory
            .getDecompressor(codec)
            .decompress(BytesInput.from(bytes, from, length), size)
            .toInputStream()
            .readNBytes(size);
      }
    };
  }

  /** Without the stream that Hadoop's codec opens for each page. */
  private byte[] zstd(byte[] bytes, int from, int length, int size) throws IOException {
    ZstdDecompressCtx context = zstd;
    if (context == null) {
      context = new ZstdDecompressCtx();
      zstd = context;
    }
    byte[] into = new byte[size];
    if (context.decompressByteArray(into, 0, size, bytes, from, length) != size) {
      throw new IOException("a page is not as long as its header says");
    }
    return into;
  }

  @Override
  public void close() {
    if (zstd != null) {
      zstd.close();
    }
    if (others != null) {
      others.release();
    }
  }
}
