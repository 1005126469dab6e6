package io.onceberg.it.bench;

import io.onceberg.it.bench.LoadProducer.Produced;
import org.jspecify.annotations.Nullable;

/** What one format's topic gave. */
record FormatFigures(EventFormat format, Produced produced, IcebergSink.@Nullable Run sink) {}
