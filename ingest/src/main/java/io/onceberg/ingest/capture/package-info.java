/**
 * Database to Kafka without Kafka Connect: Debezium's engine in this process, its events in the
 * same topics, keys and values that a Connect worker would write.
 */
@NullMarked
package io.onceberg.ingest.capture;

import org.jspecify.annotations.NullMarked;
