package io.onceberg.keystore;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.catalog.TableCommit;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.rest.RESTCatalog;

/** A REST catalog that advertises a commit over several tables: the server moves them. */
final class RestMeans implements CommitMeans {
  private final RESTCatalog catalog;

  RestMeans(RESTCatalog catalog) {
    this.catalog = catalog;
  }

  @Override
  public String described() {
    return "transactions/commit (REST catalog)";
  }

  @Override
  public boolean atomic() {
    return true;
  }

  @Override
  public StagedTable prepare(StagedTable staged) {
    return staged;
  }

  @Override
  public Move move(List<StagedTable> staged) {
    try {
      catalog.commitTransaction(
          staged.stream().map(t -> TableCommit.create(t.name(), t.base(), t.next())).toList());
      return new Moved(Map.of());
    } catch (CommitFailedException | NoSuchTableException e) {
      return new Lost(String.valueOf(e.getMessage()));
    } catch (CommitStateUnknownException e) {
      return new Unknown(e);
    } catch (RuntimeException e) {
      OncebergException failure = CatalogFailure.of("committing to REST catalog", e);
      if (failure.code() == ErrorCode.CATALOG_UNREACHABLE) {
        return new Unknown(failure);
      }
      throw failure;
    }
  }
}
