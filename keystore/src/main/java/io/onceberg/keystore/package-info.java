/**
 * Target tables, their keys, the ledger, and the one commit. Knows Iceberg, Parquet and Spark;
 * never Kafka.
 */
@NullMarked
package io.onceberg.keystore;

import org.jspecify.annotations.NullMarked;
