package io.onceberg.keystore;

/** The three ways a commit ends. Every caller answers all three. */
public sealed interface CommitOutcome {
  /** All tables of the target moved together. */
  record Committed(Ledger ledger) implements CommitOutcome {}

  /** Someone else moved a table; nothing of this batch is visible. */
  record Fenced(String reason) implements CommitOutcome {}

  /** Nobody knows yet: delete nothing, reload, look for the batch id, and only then try again. */
  record InDoubt(RuntimeException cause) implements CommitOutcome {}
}
