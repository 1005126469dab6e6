package io.onceberg.keystore;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.apache.iceberg.Schema;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * Reads the files that the bounds in the manifests leave, newest first, and compares whole
 * identities by their bytes. Stops when all are found.
 */
final class ScanKeyLookup implements KeyLookup {
  private final TableImage image;
  private final List<StoredFile> files;
  private final Schema columns;
  private final boolean payload;
  private final CanonicalIdentities canonical;
  private int filesRead;

  ScanKeyLookup(TableImage image, List<StoredFile> files) {
    this.image = image;
    this.files = files;
    this.payload = image.settings.kind() == TargetKind.EVENTS;
    List<NestedField> fields = new ArrayList<>(image.identitySchema.columns());
    if (payload) {
      fields.add(image.keySchema.findField(TableColumns.PAYLOAD_HASH));
    }
    this.columns = new Schema(fields);
    this.canonical = new CanonicalIdentities(image.identityType);
  }

  @Override
  public KeyHits find(List<UnsafeRow> identities) {
    BitSet stored = new BitSet(identities.size());
    long[] payloadHashes = new long[payload ? identities.size() : 0];
    if (identities.isEmpty() || files.isEmpty() || image.identitySchema.columns().isEmpty()) {
      return new KeyHits(stored, payloadHashes);
    }
    LeadFilter filter = new LeadFilter(image.keyLeads(), identities);
    IdentitySet wanted = new IdentitySet(canonical.of(identities));
    for (StoredFile file : files) {
      Expression rowGroups = filter.of(file);
      if (rowGroups.op() != Expression.Operation.FALSE) {
        search(file, rowGroups, wanted, stored, payloadHashes);
        if (stored.cardinality() == identities.size()) {
          break;
        }
      }
    }
    return new KeyHits(stored, payloadHashes);
  }

  private void search(
      StoredFile file,
      Expression rowGroups,
      IdentitySet wanted,
      BitSet stored,
      long[] payloadHashes) {
    filesRead++;
    int payloadAt = image.identitySchema.columns().size();
    try (CloseableIterable<InternalRow> rows =
        StoredRows.read(image.keys.io(), file, columns, rowGroups)) {
      for (InternalRow row : rows) {
        int index = wanted.indexOf(canonical.of(row));
        if (index >= 0 && !stored.get(index)) {
          stored.set(index);
          if (payload) {
            payloadHashes[index] = row.getLong(payloadAt);
          }
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read key file " + file.path(), e);
    }
  }

  /** How many files were opened since this was made. */
  int filesRead() {
    return filesRead;
  }
}
