package io.onceberg.keystore;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FSError;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.ContentFile;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One target's tables, open for writing by one daemon. Not thread-safe. */
public final class Target {
  private static final Logger LOG = LoggerFactory.getLogger(Target.class);

  private final TargetSettings settings;
  private final TableSchemas schemas;
  private final CommitMeans means;
  private final TargetCommit.Context context;
  private final Set<String> doubtful = new HashSet<>();
  private @Nullable Standing standing;
  private Ledger ledger;
  private boolean stale;

  /**
   * Loads the target.
   *
   * @param pool writes metadata of several tables side by side
   * @param cleanup deletes what commits make needless
   */
  Target(
      TargetSettings settings,
      TableSchemas schemas,
      CommitMeans means,
      Executor pool,
      Executor cleanup) {
    this.settings = settings;
    this.schemas = schemas;
    this.means = means;
    this.context =
        new TargetCommit.Context(means, pool, cleanup, this::reload, settings.snapshots());
    this.ledger = Ledger.empty(settings.sourceEpoch());
    refresh();
  }

  public TargetSettings settings() {
    return settings;
  }

  /** The columns the tables have now; {@link TargetLayout#EMPTY} before they exist. */
  public TargetLayout layout() {
    Optional<Standing> now = current();
    return now.map(s -> schemas.layout(s.tables())).orElse(TargetLayout.EMPTY);
  }

  /** Where the target stands. */
  public Ledger ledger() {
    return ledger;
  }

  /**
   * Loads the tables again from the catalog, completes a commit that was rolled forward half way,
   * and reads the ledger.
   *
   * @throws OncebergException when the catalog does not answer, or the tables are not what they
   *     were or contradict each other
   */
  public void refresh() {
    standAt(guarded(() -> load().map(tables -> Standing.of(tables, settings))).orElse(null));
  }

  /** Makes the tables fit these schemas: creates them, adds columns, widens types. */
  public void evolve(Collection<SourceSchema> found) {
    standAt(
        guarded(
            () -> {
              TargetTables loaded = load().orElseGet(schemas::create);
              return Standing.of(schemas.evolve(loaded, found), settings);
            }));
  }

  /**
   * The view that tasks get; creates the tables where they do not exist. What others did to the
   * tables meanwhile is taken in, so that a batch does not read files that maintenance removed.
   *
   * @throws OncebergException {@link ErrorCode#FENCED} when a batch was committed or taken back
   *     since {@link #ledger} was last looked at: what was planned from it is out of date; {@link
   *     ErrorCode#CLOCK_BEHIND} when Iceberg would refuse the date of a commit
   */
  public TaskTarget pin() {
    Ledger planned = ledger;
    Standing now = standing();
    if (!guarded(() -> means.standsAt(now.tables()))) {
      refresh();
    }
    if (!planned.equals(ledger)) {
      throw new OncebergException(
          ErrorCode.FENCED,
          "%s: the ledger moved from batch %s to %s; the batch is planned again"
              .formatted(settings.name(), planned.lastBatch(), ledger.lastBatch()));
    }
    WallClock.requireNotBehind(standing());
    return guarded(() -> schemas.pin(standing().tables()));
  }

  /**
   * Commits a batch that was built on the last {@link #pin}: rows, keys, quarantine and ledger
   * together, or nothing. After {@link CommitOutcome.Fenced} and {@link CommitOutcome.InDoubt} call
   * {@link #refresh} and look at the ledger.
   *
   * <p>Keys that are older than they are kept go in the same commit.
   *
   * @param today the batch's UTC day, days since the epoch
   * @throws OncebergException when the catalog refuses, a table is gone or is not what it was
   */
  public CommitOutcome commit(BatchId batch, Ledger next, StagedFiles files, int today) {
    StagedFiles all = files.dropping(guarded(() -> schemas.drop(standing().tables(), today)));
    CommitOutcome outcome = commit(batch, next, all);
    if (outcome instanceof CommitOutcome.Committed && !all.drop().isNone()) {
      LOG.info(
          "{}: keys loaded before {} are dropped, {} files",
          settings.name(),
          LocalDate.ofEpochDay(all.drop().before()),
          all.drop().files().size());
    }
    return outcome;
  }

  /** The same, and keeps all keys. */
  public CommitOutcome commit(BatchId batch, Ledger next, StagedFiles files) {
    if (!batch.equals(next.lastBatch())) {
      throw new IllegalArgumentException(
          "batch %s with the ledger of %s".formatted(batch, next.lastBatch()));
    }
    WallClock.requireNotBehind(standing());
    Ledger written = new Ledger(batch, settings.sourceEpoch(), next.progress());
    TargetCommit.Ending ending = commitNow(batch, written, files);
    if (ending.outcome() instanceof CommitOutcome.Committed committed) {
      ledger = committed.ledger();
    } else if (ending.outcome() instanceof CommitOutcome.InDoubt) {
      locations(files).forEach(doubtful::add);
    }
    if (ending.standing() != null) {
      standAt(ending.standing());
    } else {
      loadIfPossible();
    }
    return ending.outcome();
  }

  /** Where the target stands is unknown until the ending says so, and after a failure. */
  private TargetCommit.Ending commitNow(BatchId batch, Ledger written, StagedFiles files) {
    Standing base = standing();
    stale = true;
    return guarded(() -> TargetCommit.commit(context, base, batch, written, files));
  }

  /** A disk that is full or gone ends Hadoop's local files by an Error. */
  private OncebergException unusable(FSError e) {
    return CatalogFailure.of(
        "target " + settings.name(), new UncheckedIOException(new IOException(e.getMessage(), e)));
  }

  /**
   * Deletes staged files that will never be committed. Files of a commit that ended in doubt are
   * left alone: they may be live.
   */
  public void discard(StagedFiles files) {
    if (standing == null) {
      return;
    }
    List<String> never = new ArrayList<>(locations(files).toList());
    never.removeAll(doubtful);
    CatalogUtil.deleteFiles(standing.tables().rows().io(), never, "staged");
  }

  /** Looks where the target stands; a catalog that is gone by now spoils no commit. */
  private void loadIfPossible() {
    try {
      refresh();
    } catch (OncebergException e) {
      LOG.info("{}: loaded again later: {}", settings.name(), e.getMessage());
    }
  }

  private static Stream<String> locations(StagedFiles files) {
    return Stream.of(files.rows(), files.keys(), files.quarantine(), files.merge().merged())
        .flatMap(Collection::stream)
        .map(ContentFile::location);
  }

  private void standAt(@Nullable Standing now) {
    standing = now;
    ledger = now == null ? Ledger.empty(settings.sourceEpoch()) : now.ledger();
    stale = false;
  }

  private Standing reload() {
    return guarded(() -> Standing.of(load().orElseThrow(this::missing), settings));
  }

  /** Loads the tables; those that were there before must still be. */
  private Optional<TargetTables> load() {
    Optional<TargetTables> loaded = schemas.load();
    if (loaded.isEmpty() && standing != null) {
      throw missing();
    }
    return loaded;
  }

  private OncebergException missing() {
    return new OncebergException(
        ErrorCode.TABLE_MISSING,
        "the tables of %s are gone; restore them, or restart to begin anew"
            .formatted(settings.name()));
  }

  private Optional<Standing> current() {
    if (stale) {
      refresh();
    }
    return Optional.ofNullable(standing);
  }

  private Standing standing() {
    Optional<Standing> now = current();
    if (now.isPresent()) {
      return now.get();
    }
    Standing created = guarded(() -> Standing.of(schemas.create(), settings));
    standAt(created);
    return created;
  }

  private <T> T guarded(Supplier<T> action) {
    try {
      return action.get();
    } catch (RuntimeException e) {
      throw CatalogFailure.of("target " + settings.name(), e);
    } catch (FSError e) {
      throw unusable(e);
    }
  }
}
