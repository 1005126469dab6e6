/** Kafka: which offsets a batch reads, and reading them. */
@NullMarked
package io.onceberg.ingest.source;

import org.jspecify.annotations.NullMarked;
