package io.onceberg.keystore;

import java.util.Collection;

/** One target's tables, open for writing by one daemon. Not thread-safe. */
@SuppressWarnings("DoNotCallSuggester")
public final class Target {
  Target() {}

  public TargetSettings settings() {
    throw new UnsupportedOperationException();
  }

  /** The columns the tables have now; {@link TargetLayout#EMPTY} before they exist. */
  public TargetLayout layout() {
    throw new UnsupportedOperationException();
  }

  /** Where the target stands. */
  public Ledger ledger() {
    throw new UnsupportedOperationException();
  }

  /**
   * Loads the tables again from the catalog, completes a commit that was rolled forward half way,
   * and reads the ledger.
   */
  public void refresh() {
    throw new UnsupportedOperationException();
  }

  /** Makes the tables fit these schemas: creates them, adds columns, widens types. */
  public void evolve(Collection<SourceSchema> schemas) {
    throw new UnsupportedOperationException();
  }

  /** The view that tasks get; creates the tables where they do not exist. */
  public TaskTarget pin() {
    throw new UnsupportedOperationException();
  }

  /**
   * Commits a batch that was built on the last {@link #pin}: rows, keys, quarantine and ledger
   * together, or nothing. After {@link CommitOutcome.Fenced} and {@link CommitOutcome.InDoubt} call
   * {@link #refresh} and look at the ledger.
   */
  public CommitOutcome commit(BatchId batch, Ledger next, StagedFiles files) {
    throw new UnsupportedOperationException();
  }

  /** Deletes staged files that will never be committed. */
  public void discard(StagedFiles files) {
    throw new UnsupportedOperationException();
  }
}
