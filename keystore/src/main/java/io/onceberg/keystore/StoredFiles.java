package io.onceberg.keystore;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.ManifestReader;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.jspecify.annotations.Nullable;

/**
 * The live data files of one table, kept between batches. Manifests never change, so each is read
 * once: a batch reads only the manifest that the batch before it made.
 */
final class StoredFiles {
  /** No files, as {@link #current} gives them. */
  static final byte[] NONE = encode(List.of());

  private Map<String, List<StoredFile>> byManifest = new HashMap<>();
  private int[] leadIds = {};
  private @Nullable Long snapshotId;
  private byte[] encoded = NONE;
  private int manifestsRead;

  /** The files of the table's current snapshot, newest first, in a form to send to tasks. */
  byte[] current(Table table, int[] leads) {
    Snapshot snapshot = table.currentSnapshot();
    if (snapshot == null) {
      return NONE;
    }
    boolean sameLeads = Arrays.equals(leadIds, leads);
    if (sameLeads && snapshotId != null && snapshotId == snapshot.snapshotId()) {
      return encoded;
    }
    if (!sameLeads) {
      byManifest = new HashMap<>();
      leadIds = leads.clone();
    }
    encoded = encode(files(table, snapshot));
    snapshotId = snapshot.snapshotId();
    return encoded;
  }

  private List<StoredFile> files(Table table, Snapshot snapshot) {
    if (snapshot.deleteManifests(table.io()).stream()
        .anyMatch(deletes -> deletes.hasAddedFiles() || deletes.hasExistingFiles())) {
      throw new OncebergException(
          ErrorCode.ROW_DELETES,
          "table %s has row-level delete files at snapshot %d, which the lookup does not apply; roll"
                  .formatted(table.name(), snapshot.snapshotId())
              + " the table back, or rewrite its data files so that the deletes are applied");
    }
    List<ManifestFile> manifests = new ArrayList<>(snapshot.dataManifests(table.io()));
    manifests.sort(Comparator.comparingLong(ManifestFile::sequenceNumber).reversed());
    Map<String, List<StoredFile>> next = new HashMap<>();
    List<StoredFile> files = new ArrayList<>();
    for (ManifestFile manifest : manifests) {
      List<StoredFile> known = byManifest.get(manifest.path());
      List<StoredFile> live = known != null ? known : read(table, manifest);
      next.put(manifest.path(), live);
      files.addAll(live);
    }
    byManifest = next;
    return files;
  }

  private List<StoredFile> read(Table table, ManifestFile manifest) {
    manifestsRead++;
    List<StoredFile> files = new ArrayList<>();
    boolean byDay = manifest.partitionSpecId() == table.spec().specId() && isByDay(table);
    try (ManifestReader<DataFile> reader =
        ManifestFiles.read(manifest, table.io(), table.specs())) {
      for (DataFile file : reader) {
        Integer day = byDay ? file.partition().get(0, Integer.class) : null;
        files.add(StoredFile.of(file, day == null ? StoredFile.NO_DAY : day, leadIds));
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read manifest " + manifest.path(), e);
    }
    return files;
  }

  /** Whether each file lies in the partition of one day. */
  static boolean isByDay(Table table) {
    List<PartitionField> fields = table.spec().fields();
    return fields.size() == 1
        && fields.get(0).transform().isIdentity()
        && TableColumns.LOADED_DATE.equals(table.schema().findColumnName(fields.get(0).sourceId()));
  }

  /** How many manifests were read since this was made. */
  int manifestsRead() {
    return manifestsRead;
  }

  private static byte[] encode(List<StoredFile> files) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeInt(files.size());
      for (StoredFile file : files) {
        file.write(out);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  static List<StoredFile> decode(byte[] encoded, int leads) {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(encoded))) {
      int count = in.readInt();
      List<StoredFile> files = new ArrayList<>(count);
      for (int i = 0; i < count; i++) {
        files.add(StoredFile.read(in, leads));
      }
      return files;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
