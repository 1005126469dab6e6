package io.onceberg.ingest.sink;

import io.onceberg.keystore.Target;
import io.onceberg.keystore.TargetName;
import io.onceberg.keystore.TargetSettings;
import io.onceberg.keystore.Warehouse;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The open targets, each opened once: planning and committing work on the same one. Safe for
 * threads that work on different targets.
 */
public final class Targets implements AutoCloseable {
  private final Supplier<Warehouse> opening;
  private final Function<TargetName, TargetSettings> settings;
  private final Map<TargetName, Target> open = new ConcurrentHashMap<>();
  private @Nullable Warehouse warehouse;

  /**
   * Opens nothing yet.
   *
   * @param opening opens the catalog; it is closed with the targets
   */
  public Targets(Supplier<Warehouse> opening, Function<TargetName, TargetSettings> settings) {
    this.opening = opening;
    this.settings = settings;
  }

  /**
   * The catalog, opened at first sight.
   *
   * @throws io.onceberg.error.OncebergException when it does not answer or refuses
   */
  public synchronized Warehouse warehouse() {
    Warehouse opened = warehouse;
    if (opened == null) {
      opened = opening.get();
      warehouse = opened;
    }
    return opened;
  }

  /**
   * The target, opened at first sight.
   *
   * @throws io.onceberg.error.OncebergException when its tables cannot be used
   */
  public Target get(TargetName name) {
    return open.computeIfAbsent(name, this::open);
  }

  private Target open(TargetName name) {
    return warehouse().target(settings.apply(name));
  }

  @Override
  public synchronized void close() {
    if (warehouse != null) {
      warehouse.close();
    }
  }
}
