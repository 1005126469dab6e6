package io.onceberg.keystore;

import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/**
 * One target pinned at its snapshots. It holds nothing but bytes, so that any serializer can carry
 * it.
 */
final class PinnedTarget implements TaskTarget {
  private static final long serialVersionUID = 1L;

  private final String imageId;
  private final byte[] packedImage;
  private final byte[] keyFiles;
  private final byte[] quarantineFiles;
  private transient @Nullable TableImage image;

  PinnedTarget(String imageId, byte[] packedImage, byte[] keyFiles, byte[] quarantineFiles) {
    this.imageId = imageId;
    this.packedImage = packedImage;
    this.keyFiles = keyFiles;
    this.quarantineFiles = quarantineFiles;
  }

  private TableImage image() {
    TableImage known = image;
    if (known == null) {
      known = TableImage.unpack(imageId, packedImage);
      image = known;
    }
    return known;
  }

  @Override
  public TargetSettings settings() {
    return image().settings;
  }

  @Override
  public TargetLayout layout() {
    return image().layout;
  }

  @Override
  public StructType rowType() {
    return image().rowType;
  }

  @Override
  public StructType identityType() {
    return image().identityType;
  }

  @Override
  public int identityVersion() {
    return image().identityVersion;
  }

  @Override
  public LsmKeyLookup lookup() {
    int leads = image().keyLeads().size();
    return new LsmKeyLookup(image(), StoredFiles.decode(keyFiles, leads));
  }

  @Override
  public Set<ByteBuffer> quarantined(Collection<ByteBuffer> identityDigests) {
    if (identityDigests.isEmpty()) {
      return Set.of();
    }
    List<StoredFile> files = StoredFiles.decode(quarantineFiles, 1);
    return new QuarantineLookup(image(), files).find(identityDigests);
  }

  /** The files that a task merges: each task of the batch takes one group. */
  private List<StoredFile> merge(int task, int tasks) {
    List<StoredFile> files = StoredFiles.decode(keyFiles, image().keyLeads().size());
    List<List<StoredFile>> groups = MergePlan.of(files, settings().keys().mergeWidth(), tasks);
    return task < groups.size() ? groups.get(task) : List.of();
  }

  @Override
  public TargetWriter writer(int loadedDate, int task, int tasks, long taskAttemptId) {
    return new ParquetTargetWriter(image(), merge(task, tasks), loadedDate, task, taskAttemptId);
  }
}
