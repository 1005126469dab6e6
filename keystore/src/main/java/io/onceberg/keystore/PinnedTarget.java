package io.onceberg.keystore;

import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.StaticTableOperations;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadataParser;
import org.apache.iceberg.io.FileIO;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/**
 * One target pinned at its snapshots. It holds nothing but bytes, so that any serializer can carry
 * it.
 */
final class PinnedTarget implements TaskTarget {
  private static final long serialVersionUID = 1L;

  private static final int NOTHING_DROPPED = Integer.MIN_VALUE;

  private final String imageId;
  private final byte[] packedImage;
  private final int droppedBefore;
  private final String rowsMetadata;
  private final byte[] keyFiles;
  private final byte[] quarantineFiles;
  private transient @Nullable TableImage image;

  /**
   * Pins a target.
   *
   * @param droppedBefore the first day whose keys are still there; empty when all are
   * @param rowsMetadata the metadata file of the rows table
   */
  PinnedTarget(
      String imageId,
      byte[] packedImage,
      OptionalInt droppedBefore,
      String rowsMetadata,
      byte[] keyFiles,
      byte[] quarantineFiles) {
    this.imageId = imageId;
    this.packedImage = packedImage;
    this.droppedBefore = droppedBefore.orElse(NOTHING_DROPPED);
    this.rowsMetadata = rowsMetadata;
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
  public OptionalInt keysDroppedBefore() {
    return droppedBefore == NOTHING_DROPPED ? OptionalInt.empty() : OptionalInt.of(droppedBefore);
  }

  @Override
  public KeyHits findDropped(List<UnsafeRow> identities, StoredIdentities stored) {
    return droppedLookup(stored).find(identities);
  }

  @Override
  public List<StoredOrdinals> ordinalsDropped(List<UnsafeRow> identities, StoredIdentities stored) {
    return droppedLookup(stored).ordinals(identities);
  }

  private DroppedKeyLookup droppedLookup(StoredIdentities stored) {
    FileIO io = image().rows.io();
    Table rows =
        new BaseTable(
            new StaticTableOperations(TableMetadataParser.read(io, rowsMetadata), io),
            image().rows.name());
    return new DroppedKeyLookup(image(), rows, droppedBefore, stored);
  }

  @Override
  public Set<ByteBuffer> quarantined(Collection<ByteBuffer> identityDigests) {
    if (identityDigests.isEmpty()) {
      return Set.of();
    }
    List<StoredFile> files = StoredFiles.decode(quarantineFiles, 1);
    return new QuarantineLookup(image(), files).find(identityDigests);
  }

  /**
   * The files that a task merges: each task of the batch takes one group. None of a day that this
   * batch drops: the drop takes the files that are there now, and a merged one would outlive it.
   */
  private List<StoredFile> merge(int loadedDate, int task, int tasks) {
    int kept = settings().keys().keptFrom(loadedDate).orElse(Integer.MIN_VALUE);
    List<StoredFile> files =
        StoredFiles.decode(keyFiles, image().keyLeads().size()).stream()
            .filter(file -> file.day() >= kept)
            .toList();
    List<List<StoredFile>> groups = MergePlan.of(files, settings().keys(), tasks);
    return task < groups.size() ? groups.get(task) : List.of();
  }

  @Override
  public TargetWriter writer(int loadedDate, int task, int tasks, long taskAttemptId) {
    return new ParquetTargetWriter(
        image(), merge(loadedDate, task, tasks), loadedDate, task, taskAttemptId);
  }
}
