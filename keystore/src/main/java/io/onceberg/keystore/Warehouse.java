package io.onceberg.keystore;

/** An open Iceberg catalog and the strongest commit that it can do. */
@SuppressWarnings("DoNotCallSuggester")
public final class Warehouse implements AutoCloseable {
  private Warehouse() {}

  /**
   * Opens the catalog and finds out how it can commit.
   *
   * @throws io.onceberg.error.OncebergException when it does not answer, refuses, or cannot do what
   *     the settings require
   */
  public static Warehouse open(CatalogSettings settings) {
    throw new UnsupportedOperationException(settings.name());
  }

  /** Opens one target; its tables need not exist yet. */
  public Target target(TargetSettings settings) {
    throw new UnsupportedOperationException(settings.toString());
  }

  @Override
  public void close() {}
}
