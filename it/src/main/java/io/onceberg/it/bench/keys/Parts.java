package io.onceberg.it.bench.keys;

import io.onceberg.keystore.StagedFiles;
import java.util.List;
import org.apache.commons.lang3.SerializationUtils;

/** Staged files on their way from tasks, as bytes that every serializer carries. */
final class Parts {
  private Parts() {}

  static byte[] pack(StagedFiles files) {
    return SerializationUtils.serialize(files);
  }

  static StagedFiles all(List<byte[]> packed) {
    StagedFiles all = StagedFiles.NONE;
    for (byte[] part : packed) {
      all = all.plus(SerializationUtils.deserialize(part));
    }
    return all;
  }
}
