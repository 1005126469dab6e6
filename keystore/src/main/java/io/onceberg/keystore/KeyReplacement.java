package io.onceberg.keystore;

import java.time.LocalDate;
import java.util.Collection;
import java.util.OptionalInt;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.BaseTransaction;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.OverwriteFiles;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.UpdateProperties;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.expressions.Expressions;

/**
 * Puts other files in the place of all that a keys table has, in one commit, if the table is still
 * where it was pinned. It is an overwrite and no replacement of files by their like: batches that
 * were built before are fenced by it.
 */
final class KeyReplacement {
  /** In the summary of the snapshot, whose ledger is that of the rows at that time. */
  static final String REBUILT = "onceberg.keys-rebuilt";

  private final Table keys;
  private final PinnedOperations operations;
  private final TableMetadata base;

  /**
   * Prepares it.
   *
   * @param keys the keys table, pinned
   */
  KeyReplacement(Table keys) {
    this.keys = keys;
    this.operations = PinnedOperations.of(keys).fresh();
    this.base = operations.current();
  }

  /**
   * Commits; false when the table has moved since it was pinned.
   *
   * @param ledger the ledger of the rows that the files were made from
   * @param droppedBefore the first day whose keys are there, where not all are
   * @throws CommitStateUnknownException when it is not known whether the table took the files
   */
  boolean commit(Collection<DataFile> files, LedgerEntry ledger, OptionalInt droppedBefore) {
    TableMetadata next = staged(files, ledger, droppedBefore);
    TableOperations catalog = operations.catalog();
    try {
      catalog.commit(base, next);
      return true;
    } catch (CommitFailedException e) {
      discard();
      return false;
    } catch (CommitStateUnknownException e) {
      if (catalog.refresh().snapshot(next.currentSnapshot().snapshotId()) != null) {
        return true;
      }
      throw e;
    }
  }

  private TableMetadata staged(
      Collection<DataFile> files, LedgerEntry ledger, OptionalInt droppedBefore) {
    boolean done = false;
    try {
      BaseTransaction transaction =
          (BaseTransaction) new BaseTable(operations, keys.name()).newTransaction();
      OverwriteFiles overwrite =
          transaction.newOverwrite().overwriteByRowFilter(Expressions.alwaysTrue());
      files.forEach(overwrite::addFile);
      LedgerCodec.summary(ledger).forEach(overwrite::set);
      overwrite.set(REBUILT, "true").commit();
      UpdateProperties properties =
          transaction.updateProperties().set(LedgerCodec.PROPERTY, LedgerCodec.property(ledger));
      if (droppedBefore.isPresent()) {
        String day = LocalDate.ofEpochDay(droppedBefore.getAsInt()).toString();
        properties.set(TableMarks.DROPPED_BEFORE, day);
      } else {
        properties.remove(TableMarks.DROPPED_BEFORE);
      }
      properties.commit();
      done = true;
      return transaction.currentMetadata();
    } finally {
      if (!done) {
        discard();
      }
    }
  }

  private void discard() {
    CatalogUtil.deleteFiles(operations.io(), operations.written(), "lost metadata");
  }
}
