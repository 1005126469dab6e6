package io.onceberg.ingest.config;

import io.onceberg.ingest.decode.DecodeSettings;
import io.onceberg.keystore.TargetSettings;
import java.io.Serializable;

/** All that is set for one target. */
public record TargetDefinition(TargetSettings table, DecodeSettings decode, DedupPolicy dedup)
    implements Serializable {}
