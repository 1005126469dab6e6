package io.onceberg.it.soak;

import io.onceberg.it.platform.AuditedPath;
import io.onceberg.it.platform.AuditedTable;
import io.onceberg.it.platform.LocalStack;
import io.onceberg.it.platform.Service;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Other people's work on the same topics and tables, beside the daemon's. */
final class Others {
  private static final Logger LOG = LoggerFactory.getLogger(Others.class);
  private static final int MOST_PARTITIONS = 5;
  private static final int KEPT_SNAPSHOTS = 5;
  private static final long PATIENCE_SECONDS = 20;

  private final LocalStack stack;
  private final AuditedPath path;
  private final List<AuditedTable> audited;
  private int partitions = 2;

  Others(LocalStack stack, AuditedPath path, List<AuditedTable> audited) {
    this.stack = stack;
    this.path = path;
    this.audited = List.copyOf(audited);
  }

  /**
   * Does one thing.
   *
   * @return what it was, for the tally; nothing when it did not work out
   */
  Optional<String> interfere(Random random) {
    AuditedTable target = audited.get(random.nextInt(audited.size()));
    String table = target.name() + (random.nextBoolean() ? "" : "_keys");
    int draw = random.nextInt(4);
    try {
      String done =
          switch (draw) {
            case 0 -> partitions < MOST_PARTITIONS ? addPartitions() : expire(table);
            case 1 -> rewriteManifests(table);
            default -> expire(table);
          };
      return Optional.of(done);
    } catch (RuntimeException e) { // lost to the daemon's commit, or a part is away
      LOG.info("{} did not work out", table, e);
      return Optional.empty();
    }
  }

  private String addPartitions() {
    partitions++;
    try (Admin admin =
        Admin.create(
            Map.<String, Object>of(
                "bootstrap.servers", stack.outside(Service.KAFKA).hostAndPort()))) {
      for (String topic : path.divisibleTopics()) {
        admin
            .createPartitions(Map.of(topic, NewPartitions.increaseTo(partitions)))
            .all()
            .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
      }
      return "by others/partitions added";
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private String expire(String name) {
    Table table = path.tables().load(name);
    Snapshot newest = table.currentSnapshot();
    if (newest == null) {
      throw new IllegalStateException(name + " is empty");
    }
    table
        .expireSnapshots()
        .expireOlderThan(newest.timestampMillis())
        .retainLast(KEPT_SNAPSHOTS)
        .commit();
    return "by others/snapshots expired";
  }

  private String rewriteManifests(String name) {
    Table table = path.tables().load(name);
    table.rewriteManifests().clusterBy(file -> "all").commit();
    return "by others/manifests rewritten";
  }
}
