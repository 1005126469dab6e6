package io.onceberg.it.bench.keys;

/**
 * Memory that changelog keys take, in bytes: what stays of indexes after a batch of new changes and
 * one that redelivers the newest, at half of the keys and at all of them.
 */
record Positions(long freshAtHalf, long fresh, long redeliveredAtHalf, long redelivered) {}
