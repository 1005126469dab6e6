package io.onceberg.ingest.sink;

import io.onceberg.keystore.Target;
import io.onceberg.keystore.TargetName;
import io.onceberg.keystore.TargetSettings;
import io.onceberg.keystore.Warehouse;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * The open targets, each opened once: planning and committing work on the same one. Safe for
 * threads that work on different targets.
 */
public final class Targets {
  private final Warehouse warehouse;
  private final Function<TargetName, TargetSettings> settings;
  private final Map<TargetName, Target> open = new ConcurrentHashMap<>();

  public Targets(Warehouse warehouse, Function<TargetName, TargetSettings> settings) {
    this.warehouse = warehouse;
    this.settings = settings;
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
    return warehouse.target(settings.apply(name));
  }
}
