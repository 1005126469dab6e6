package io.onceberg.keystore;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import io.onceberg.error.Reaction;
import io.onceberg.keystore.CommitMeans.Lost;
import io.onceberg.keystore.CommitMeans.Move;
import io.onceberg.keystore.CommitMeans.Moved;
import io.onceberg.keystore.CommitMeans.Unknown;
import io.onceberg.keystore.CommitOutcome.Committed;
import io.onceberg.keystore.CommitOutcome.Fenced;
import io.onceberg.keystore.CommitOutcome.InDoubt;
import io.onceberg.keystore.TableMarks.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.NotFoundException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One batch's commit, from staged files to one of three endings.
 *
 * <p>Theory. Every move is a compare-and-set on what the batch was built on, so of two moves that
 * start from the same place at most one takes effect, however late it arrives. A move that was lost
 * or whose answer did not come is settled by loading the tables: the batch in their history means
 * committed; the same place as before means that the same change may be tried again; maintenance
 * means that the same files may be appended on top; anything else means fenced, and the batch is
 * built again. Once an answer was missing, nothing that was staged is deleted and the ending is
 * never fenced: a late move may still make the files live.
 */
final class TargetCommit {
  private static final Logger LOG = LoggerFactory.getLogger(TargetCommit.class);
  private static final int MAX_MOVES = 8;

  /** An ending, and where the target stands then; null when it has to be loaded. */
  record Ending(CommitOutcome outcome, @Nullable Standing standing) {}

  /**
   * What all commits of a target work with.
   *
   * @param pool writes the metadata of the tables side by side
   * @param cleanup deletes what a commit made needless
   * @param reload loads the target again and settles what is half done
   */
  record Context(
      CommitMeans means,
      Executor pool,
      Executor cleanup,
      Supplier<Standing> reload,
      SnapshotSettings snapshots) {}

  private final Context context;
  private final BatchId batch;
  private final Ledger next;
  private final StagedFiles files;
  private final @Nullable String pending;
  private Standing base;
  private List<StagedTable> staged = List.of();
  private boolean inDoubt;

  private TargetCommit(
      Context context, Standing base, BatchId batch, Ledger next, StagedFiles files) {
    this.context = context;
    this.base = base;
    this.batch = batch;
    this.next = next;
    this.files = files;
    this.pending = context.means.atomic() ? null : PendingFiles.write(base.tables(), batch, files);
  }

  /**
   * Commits files that were built on {@code base}.
   *
   * @throws OncebergException when the catalog refuses, or metadata cannot be written; nothing is
   *     committed then
   */
  static Ending commit(
      Context context, Standing base, BatchId batch, Ledger next, StagedFiles files) {
    if (LedgerHistory.holds(base.rows(), batch)) {
      LOG.info("{}: batch {} is committed already", base.tables().name(), batch);
      return new Ending(new Committed(base.ledger()), base);
    }
    BatchId last = base.ledger().lastBatch();
    if (batch.sequence() != (last == null ? 1 : last.sequence() + 1)) {
      return new Ending(new Fenced("batch %s does not follow %s".formatted(batch, last)), base);
    }
    CrashPoint.FILES_STAGED.reached();
    return new TargetCommit(context, base, batch, next, files).run();
  }

  private Ending run() {
    for (int n = 1; ; n++) {
      Move move = move();
      if (move instanceof Moved moved) {
        return committed(moved);
      }
      LOG.info("{}: batch {}: {}", base.tables().name(), batch, move);
      inDoubt |= move instanceof Unknown;
      Ending ending = settle(move, n);
      if (ending != null) {
        return ending;
      }
      Backoff.pause(n);
    }
  }

  private Move move() {
    try {
      if (staged.isEmpty()) {
        stage();
      }
    } catch (NotFoundException e) {
      return new Lost("someone expired what it was built on: " + e.getMessage());
    }
    return context.means.move(staged);
  }

  /** Finds out what became of a move; null when it is to be tried again. */
  private @Nullable Ending settle(Move move, int tried) {
    Standing now;
    try {
      now = context.reload.get();
    } catch (RuntimeException e) {
      OncebergException failure = CatalogFailure.of("loading " + base.tables().name(), e);
      Reaction reaction = failure.code().reaction();
      if (reaction == Reaction.STOP_TARGET || reaction == Reaction.STOP) {
        throw failure;
      }
      return doubtful(failure);
    }
    if (LedgerHistory.holds(now.rows(), batch)) {
      return new Ending(new Committed(now.ledger()), now);
    }
    if (tried == MAX_MOVES) {
      return notCommitted("gave up after %d tries".formatted(tried), move, now);
    }
    if (samePlace(now)) {
      return staged.isEmpty() ? damaged(move) : null;
    }
    Optional<String> obstacle = Rebase.obstacle(base, now);
    if (obstacle.isPresent()) {
      return notCommitted(obstacle.get(), move, now);
    }
    discardStaged();
    base = now;
    staged = List.of();
    return null;
  }

  private Ending damaged(Move move) {
    throw new OncebergException(
        ErrorCode.TABLE_DAMAGED,
        "%s: its current metadata names a file that is not there (%s); restore it or roll the table back"
            .formatted(base.tables().name(), move));
  }

  private Ending notCommitted(String reason, Move move, Standing now) {
    if (inDoubt) {
      return doubtful(
          move instanceof Unknown unknown ? unknown.cause() : new IllegalStateException(reason));
    }
    discardStaged();
    discardPending();
    return new Ending(
        new Fenced(move instanceof Lost lost ? reason + "; " + lost.reason() : reason), now);
  }

  private Ending doubtful(RuntimeException cause) {
    return new Ending(
        new InDoubt(
            new OncebergException(
                ErrorCode.COMMIT_IN_DOUBT,
                "%s: batch %s may or may not be committed (%s); its tables are loaded again before anything else"
                    .formatted(base.tables().name(), batch, cause.getMessage()),
                cause)),
        null);
  }

  private Ending committed(Moved moved) {
    CrashPoint.POINTERS_MOVED.reached();
    tidyUp();
    if (moved.known().isEmpty()) {
      return new Ending(new Committed(next), null);
    }
    TargetTables tables = base.tables();
    TargetTables now =
        new TargetTables(
            tables.name(),
            at(tables.name().rows(), tables.rows(), moved.known()),
            at(tables.name().keys(), tables.keys(), moved.known()),
            at(tables.name().quarantine(), tables.quarantine(), moved.known()));
    return new Ending(new Committed(next), new Standing(now, next));
  }

  /** What cannot be deleted now stays behind: the commit stands whatever the storage does. */
  private void tidyUp() {
    try {
      staged.forEach(table -> table.settle(context.cleanup));
      discardUnmerged();
      discardPending();
    } catch (RuntimeException e) {
      LOG.warn(
          "{}: batch {} is committed, and files that it made needless are left behind: {}",
          base.tables().name(),
          batch,
          e.getMessage());
    }
  }

  private static Table at(
      TableIdentifier name, Table pinned, Map<TableIdentifier, TableMetadata> known) {
    TableMetadata metadata = known.get(name);
    return metadata == null
        ? pinned
        : PinnedOperations.table(pinned.name(), PinnedOperations.of(pinned).catalog(), metadata);
  }

  private boolean samePlace(Standing now) {
    return Standing.isSameFile(base.rows(), now.rows())
        && Standing.isSameFile(base.keys(), now.keys())
        && Standing.isSameFile(base.quarantine(), now.quarantine());
  }

  private void discardStaged() {
    if (!inDoubt) {
      staged.forEach(StagedTable::discard);
    }
  }

  private void discardPending() {
    if (pending != null && !inDoubt) {
      RollForward.forget(base.tables(), pending);
    }
  }

  /** Deletes merged files that no table took because what they replace was gone. */
  private void discardUnmerged() {
    if (!inDoubt && staged.stream().noneMatch(StagedTable::merges)) {
      files.merge().deleteMerged(base.tables().keys().io());
    }
  }

  // ---- staging

  /** Writes the metadata of all tables side by side. The order is that of a roll-forward. */
  private void stage() {
    TargetTables tables = base.tables();
    LedgerEntry entry = new LedgerEntry(next, null);
    LedgerEntry rowsEntry = new LedgerEntry(next, pending);
    List<Supplier<StagedTable>> parts = new ArrayList<>();
    parts.add(part(Role.ROWS, tables.rows(), FileChange.append(files.rows()), rowsEntry));
    if (!files.quarantine().isEmpty()) {
      FileChange quarantine = FileChange.append(files.quarantine());
      parts.add(part(Role.QUARANTINE, tables.quarantine(), quarantine, entry));
    }
    FileChange keys = new FileChange(files.keys(), files.merge(), files.drop());
    parts.add(part(Role.KEYS, tables.keys(), keys, entry));
    staged = sideBySide(parts);
    CrashPoint.METADATA_WRITTEN.reached();
  }

  private Supplier<StagedTable> part(Role role, Table table, FileChange change, LedgerEntry entry) {
    Map<String, String> properties =
        role == Role.QUARANTINE
            ? Map.of()
            : Map.of(LedgerCodec.PROPERTY, LedgerCodec.property(entry));
    return () ->
        context.means.prepare(
            StagedTable.of(
                role.of(base.tables().name()),
                table,
                change,
                LedgerCodec.summary(entry),
                properties,
                context.snapshots.of(role)));
  }

  private List<StagedTable> sideBySide(List<Supplier<StagedTable>> parts) {
    List<CompletableFuture<StagedTable>> others =
        parts.stream().skip(1).map(p -> CompletableFuture.supplyAsync(p, context.pool)).toList();
    List<StagedTable> done = new ArrayList<>();
    RuntimeException failure = null;
    for (int i = 0; i < parts.size(); i++) {
      try {
        done.add(i == 0 ? parts.get(0).get() : others.get(i - 1).join());
      } catch (CompletionException e) {
        failure = e.getCause() instanceof RuntimeException cause ? cause : e;
      } catch (RuntimeException e) {
        failure = e;
      }
    }
    if (failure != null) {
      done.forEach(StagedTable::discard);
      if (failure instanceof NotFoundException gone) {
        throw gone;
      }
      throw CatalogFailure.of("writing metadata of " + base.tables().name(), failure);
    }
    return done;
  }
}
