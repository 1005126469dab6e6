package io.onceberg.keystore;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.iceberg.Schema;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;

/** Finds out which records lie in the quarantine table already. */
final class QuarantineLookup {
  private final TableImage image;
  private final List<StoredFile> files;

  QuarantineLookup(TableImage image, List<StoredFile> files) {
    this.image = image;
    this.files = files;
  }

  Set<ByteBuffer> find(Collection<ByteBuffer> digests) {
    Set<ByteBuffer> wanted = new HashSet<>(digests);
    Set<ByteBuffer> found = new HashSet<>();
    LeadColumn lead = new LeadColumn(0, image.quarantineLead().field());
    LeadFilter filter =
        new LeadFilter(List.of(lead), wanted.stream().map(QuarantineLookup::row).toList());
    for (StoredFile file : files) {
      Expression rowGroups = filter.of(file);
      if (rowGroups.op() != Expression.Operation.FALSE && found.size() < wanted.size()) {
        search(file, new Schema(lead.field()), rowGroups, wanted, found);
      }
    }
    return found;
  }

  private static InternalRow row(ByteBuffer digest) {
    byte[] bytes = new byte[digest.remaining()];
    digest.duplicate().get(bytes);
    return new GenericInternalRow(new Object[] {bytes});
  }

  private void search(
      StoredFile file,
      Schema column,
      Expression rowGroups,
      Set<ByteBuffer> wanted,
      Set<ByteBuffer> found) {
    try (CloseableIterable<InternalRow> rows =
        StoredRows.read(image.quarantine.io(), file, column, rowGroups)) {
      for (InternalRow row : rows) {
        ByteBuffer digest = row.isNullAt(0) ? null : ByteBuffer.wrap(row.getBinary(0).clone());
        if (digest != null && wanted.contains(digest)) {
          found.add(digest);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read quarantine file " + file.path(), e);
    }
  }
}
