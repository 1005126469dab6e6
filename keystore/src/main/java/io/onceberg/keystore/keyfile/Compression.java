package io.onceberg.keystore.keyfile;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import java.io.IOException;
import java.util.Arrays;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.compression.CompressionCodecFactory.BytesInputCompressor;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.jspecify.annotations.Nullable;

/** Compresses pages with Zstandard, without the stream that Hadoop's codec opens for each. */
final class Compression implements BytesInputCompressor {
  private final @Nullable ZstdCompressCtx zstd;

  Compression(int level) {
    this.zstd = level == 0 ? null : new ZstdCompressCtx().setLevel(level);
  }

  @Override
  public BytesInput compress(BytesInput bytes) throws IOException {
    if (zstd == null) {
      return bytes;
    }
    byte[] raw = bytes.toInputStream().readNBytes(Math.toIntExact(bytes.size()));
    byte[] into = new byte[Math.toIntExact(Zstd.compressBound(raw.length))];
    int size = zstd.compressByteArray(into, 0, into.length, raw, 0, raw.length);
    return BytesInput.from(Arrays.copyOf(into, size));
  }

  @Override
  public CompressionCodecName getCodecName() {
    return zstd == null ? CompressionCodecName.UNCOMPRESSED : CompressionCodecName.ZSTD;
  }

  @Override
  public void release() {
    if (zstd != null) {
      zstd.close();
    }
  }
}
