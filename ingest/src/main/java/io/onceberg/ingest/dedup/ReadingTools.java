package io.onceberg.ingest.dedup;

import io.onceberg.ingest.config.DedupPolicy;
import io.onceberg.ingest.decode.DecodeSettings;
import io.onceberg.ingest.decode.Decoders;
import io.onceberg.ingest.decode.EventDecoder;
import io.onceberg.keystore.TargetLayout;
import io.onceberg.keystore.TargetSettings;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import org.apache.spark.sql.types.StructType;

/**
 * The decoder and the identity rule of one target, kept between batches: what they compile and
 * cache costs more than a small batch.
 */
record ReadingTools(Key key, EventDecoder decoder, IdentityRule identities) {
  /** All that tools depend on; tools of a changed target are never found again. */
  private record Key(
      TargetSettings settings,
      TargetLayout layout,
      StructType identityType,
      DecodeSettings decode,
      DedupPolicy policy) {}

  /** Tools kept in this JVM; beyond it all are dropped, which a warm daemon never sees. */
  private static final int MOST_IDLE = 2_000;

  private static final Map<Key, ArrayDeque<ReadingTools>> IDLE = new HashMap<>();

  static ReadingTools borrow(TargetSpec spec) {
    Key key =
        new Key(
            spec.tables().settings(),
            spec.tables().layout(),
            spec.tables().identityType(),
            spec.decode(),
            spec.policy());
    ReadingTools idle;
    synchronized (IDLE) {
      ArrayDeque<ReadingTools> known = IDLE.get(key);
      idle = known == null ? null : known.pollFirst();
    }
    if (idle != null) {
      idle.decoder.renew();
    }
    return idle != null
        ? idle
        : new ReadingTools(
            key,
            Decoders.open(spec.decode(), spec.tables().layout()),
            new IdentityRule(spec.tables(), spec.policy()));
  }

  void giveBack() {
    synchronized (IDLE) {
      if (IDLE.size() >= MOST_IDLE) {
        IDLE.values().forEach(tools -> tools.forEach(idle -> idle.decoder.close()));
        IDLE.clear();
      }
      IDLE.computeIfAbsent(key, unused -> new ArrayDeque<>()).addFirst(this);
    }
  }
}
