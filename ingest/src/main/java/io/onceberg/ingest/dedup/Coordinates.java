package io.onceberg.ingest.dedup;

/**
 * Where a record lies: the number of its target and topic in the batch, its partition and offset.
 */
record Coordinates(int target, int topic, int partition, long offset) {}
