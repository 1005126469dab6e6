/** Debezium embedded: database to Kafka. */
@NullMarked
package io.onceberg.ingest.capture;

import org.jspecify.annotations.NullMarked;
