package io.onceberg.keystore;

import io.onceberg.keystore.StoredFile.Bounds;
import io.onceberg.keystore.keyfile.Candidates;
import io.onceberg.keystore.keyfile.KeyBatch;
import io.onceberg.keystore.keyfile.KeyColumns;
import io.onceberg.keystore.keyfile.KeySearch;
import io.onceberg.keystore.keyfile.SearchCounts;
import io.onceberg.keystore.keyfile.UnknownLayoutException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.BitSet;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.iceberg.Schema;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks into the files that the bounds in the manifests leave, newest first, and compares whole
 * identities by their bytes. Stops when all are found.
 */
final class LsmKeyLookup implements KeyLookup {
  private static final Logger LOG = LoggerFactory.getLogger(LsmKeyLookup.class);

  /** Identities with one lead value that are compared one by one rather than by their hashes. */
  private static final int FEW = 8;

  private final TableImage image;
  private final List<StoredFile> files;
  private final KeyColumns columns;
  private final boolean payload;
  private final CanonicalIdentities canonical;
  private final boolean leadIsAll;
  private final SearchCounts counts = new SearchCounts();
  private int filesSearched;
  private int filesReadWhole;

  LsmKeyLookup(TableImage image, List<StoredFile> files) {
    this.image = image;
    this.files = files;
    this.payload = image.settings.kind() == TargetKind.EVENTS;
    this.columns = image.keyColumns();
    this.canonical = new CanonicalIdentities(image.identityType);
    this.leadIsAll = image.identityType.size() == 1 && columns.leads().equals(List.of(0));
  }

  @Override
  public KeyHits find(List<UnsafeRow> identities) {
    Found found = new Found(identities);
    search(identities, found, found::offerUnknown, found::all);
    return found.hits();
  }

  @Override
  public List<StoredOrdinals> ordinals(List<UnsafeRow> identities) {
    EqualButForOrdinal equals = new EqualButForOrdinal(canonical, identities);
    search(identities, equals, equals::offer, () -> false);
    return equals.ordinals();
  }

  /**
   * Searches the files for candidates.
   *
   * @param unknown takes a stored row of which nothing is known
   * @param enough whether nothing more is wanted
   */
  private void search(
      List<UnsafeRow> identities,
      Candidates found,
      Consumer<InternalRow> unknown,
      BooleanSupplier enough) {
    if (identities.isEmpty() || files.isEmpty() || image.identitySchema.columns().isEmpty()) {
      return;
    }
    KeyBatch batch = new KeyBatch(columns, identities);
    LookupProgress progress =
        new LookupProgress(image.settings.name(), files.size(), System::nanoTime, LOG::info);
    int done = 0;
    try (KeySearch search =
        new KeySearch(columns, batch, image.settings.keys().filterMemoryHere(), counts)) {
      for (StoredFile file : files) {
        progress.at(done++);
        if (!enough.getAsBoolean() && mayHold(file, batch)) {
          search(search, file, found, unknown);
        }
      }
    }
  }

  /**
   * Whether a file may hold any identity of the batch. One without a null in the first lead column
   * holds none that is looked for by the second.
   */
  private boolean mayHold(StoredFile file, KeyBatch batch) {
    for (int lead = 0; lead < columns.leads().size(); lead++) {
      Bounds bounds = file.bounds()[lead];
      if (!file.allNull(lead) && batch.mayBeIn(lead, bounds.lower(), bounds.upper())) {
        return true;
      }
      if (!bounds.mayHoldNull()) {
        return false;
      }
    }
    return batch.anyWithoutLead();
  }

  private void search(
      KeySearch search, StoredFile file, Candidates found, Consumer<InternalRow> unknown) {
    filesSearched++;
    try {
      search.search(
          image.keys.io().newInputFile(file.path(), file.size()),
          file.size(),
          file.records(),
          found);
    } catch (UnknownLayoutException e) {
      LOG.debug("{} is read as a whole: {}", file.path(), e.getMessage());
      readWhole(file, unknown);
    }
  }

  /** For files in a form that only Iceberg knows. */
  private void readWhole(StoredFile file, Consumer<InternalRow> unknown) {
    filesReadWhole++;
    Schema all = new Schema(columns.columns());
    try (CloseableIterable<InternalRow> rows =
        StoredRows.read(image.keys.io(), file, all, Expressions.alwaysTrue())) {
      rows.forEach(unknown);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read key file " + file.path(), e);
    }
  }

  /** How many files the manifests did not rule out since this was made. */
  int filesSearched() {
    return filesSearched;
  }

  /** How many files had a form that only Iceberg knows. */
  int filesReadWhole() {
    return filesReadWhole;
  }

  /** What was read of the others. */
  SearchCounts counts() {
    return counts;
  }

  /** What was found so far. */
  private final class Found implements Candidates {
    private final List<UnsafeRow> identities;
    private final BitSet stored;
    private final long[] payloadHashes;
    private final int payloadAt = image.identitySchema.columns().size();
    private int count;
    private @Nullable List<UnsafeRow> comparable;
    private @Nullable IdentitySet wanted;

    Found(List<UnsafeRow> identities) {
      this.identities = identities;
      this.stored = new BitSet(identities.size());
      this.payloadHashes = new long[payload ? identities.size() : 0];
    }

    boolean all() {
      return count == identities.size();
    }

    KeyHits hits() {
      return new KeyHits(stored, payloadHashes);
    }

    @Override
    public void offer(InternalRow row, int[] places, int from, int until, boolean byLead) {
      if (byLead && leadIsAll) {
        for (int i = from; i < until; i++) {
          hit(places[i], row);
        }
      } else if (until - from > FEW) {
        offerUnknown(row);
      } else {
        List<UnsafeRow> asked = comparable();
        UnsafeRow stored = canonical.of(row);
        for (int i = from; i < until; i++) {
          if (asked.get(places[i]).equals(stored)) {
            hit(places[i], row);
          }
        }
      }
    }

    /** Takes a stored row of which nothing is known. */
    void offerUnknown(InternalRow row) {
      IdentitySet set = wanted;
      if (set == null) {
        set = new IdentitySet(comparable());
        wanted = set;
      }
      int index = set.indexOf(canonical.of(row));
      if (index >= 0) {
        hit(index, row);
      }
    }

    private List<UnsafeRow> comparable() {
      List<UnsafeRow> rows = comparable;
      if (rows == null) {
        rows = canonical.of(identities);
        comparable = rows;
      }
      return rows;
    }

    private void hit(int index, InternalRow row) {
      if (!stored.get(index)) {
        stored.set(index);
        count++;
        if (payload) {
          payloadHashes[index] = row.getLong(payloadAt);
        }
      }
    }
  }
}
