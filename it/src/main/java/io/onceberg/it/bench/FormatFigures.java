package io.onceberg.it.bench;

import io.onceberg.it.bench.LoadProducer.Produced;
import org.jspecify.annotations.Nullable;

/**
 * What one format's topic gave; null for a side that was left out.
 *
 * @param exact our daemon with deduplication
 * @param plain our daemon without: a plain append of the same batches
 */
record FormatFigures(
    EventFormat format,
    Produced produced,
    IcebergSink.@Nullable Run sink,
    @Nullable DaemonRun exact,
    @Nullable DaemonRun plain,
    @Nullable Profile profile) {}
