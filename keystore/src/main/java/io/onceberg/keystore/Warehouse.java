package io.onceberg.keystore;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.apache.iceberg.catalog.Catalog;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An open Iceberg catalog and the strongest commit that it can do. */
public final class Warehouse implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Warehouse.class);
  private static final int METADATA_WRITERS = 8;
  private static final int CLEANUP_SECONDS = 10;

  private final CatalogSettings settings;
  private final OpenedCatalog opened;
  private final ExecutorService pool =
      Executors.newFixedThreadPool(METADATA_WRITERS, task -> daemon(task, "onceberg-metadata"));
  private final ExecutorService cleanup =
      Executors.newSingleThreadExecutor(task -> daemon(task, "onceberg-cleanup"));

  private Warehouse(CatalogSettings settings, OpenedCatalog opened) {
    this.settings = settings;
    this.opened = opened;
  }

  private static Thread daemon(Runnable task, String name) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  /**
   * Opens the catalog and finds out how it can commit.
   *
   * @throws OncebergException when it does not answer, refuses, or cannot do what the settings
   *     require
   */
  public static Warehouse open(CatalogSettings settings) {
    Warehouse warehouse = new Warehouse(settings, OpenedCatalog.open(settings));
    if (settings.atomicity() == CatalogSettings.RequiredAtomicity.REQUIRED
        && !warehouse.opened.means().atomic()) {
      warehouse.close();
      throw new OncebergException(
          ErrorCode.ATOMICITY_UNAVAILABLE,
          "catalog %s would commit by %s; use a JDBC catalog or a REST catalog that advertises transactions/commit, or set commit.atomicity = best"
              .formatted(settings.name(), warehouse.commitMeans()));
    }
    LOG.info(
        "catalog {}: commits by {}, tables in {}",
        settings.name(),
        warehouse.commitMeans(),
        settings.place());
    return warehouse;
  }

  /**
   * Looks whether there is a catalog that can be read, for those who do not write: nothing is made.
   *
   * @throws OncebergException when there is none yet, or it does not answer or refuses
   */
  public static void look(CatalogSettings settings) {
    CatalogLook.at(settings);
  }

  /** How this catalog commits, in a few words for logs and status pages. */
  public String commitMeans() {
    return opened.means().described();
  }

  /** Opens one target; its tables need not exist yet. */
  public Target target(TargetSettings target) {
    return new Target(
        target, new TableSchemas(opened.catalog(), target), opened.means(), pool, cleanup);
  }

  /**
   * The keys table of a target that is there already.
   *
   * @param keys how it is kept and searched
   * @throws OncebergException when there is no such target, or the catalog does not answer
   */
  public KeysTable keys(TargetName target, KeySettings keys) {
    try {
      return KeysTable.open(opened.catalog(), target, keys, pool);
    } catch (RuntimeException e) {
      throw CatalogFailure.of("target " + target, e);
    }
  }

  /**
   * The targets that have tables in a namespace, by name; none when there is no such namespace.
   *
   * @throws OncebergException when the catalog does not answer or refuses
   */
  public List<TargetName> targets(String namespace) {
    try {
      return TableMarks.targetsIn(opened.catalog(), TargetName.namespace(namespace));
    } catch (RuntimeException e) {
      throw CatalogFailure.of("namespace " + namespace, e);
    }
  }

  Catalog catalog() {
    return opened.catalog();
  }

  @Override
  public void close() {
    pool.shutdown();
    cleanup.shutdown();
    awaitCleanup();
    close(opened.means());
    close(opened.catalog());
    LOG.debug("catalog {} closed", settings.name());
  }

  /** What is not deleted by then stays behind, needed by nobody. */
  private void awaitCleanup() {
    try {
      if (!cleanup.awaitTermination(CLEANUP_SECONDS, TimeUnit.SECONDS)) {
        LOG.info(
            "catalog {}: closed before all files of dropped snapshots were deleted",
            settings.name());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  static void close(Object part) {
    if (part instanceof AutoCloseable closeable) {
      try {
        closeable.close();
      } catch (Exception e) {
        LOG.debug("closing the catalog", e);
      }
    }
  }
}
