package io.onceberg.ingest.dedup;

import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * What tells one change event from all others, in the layout of the keys table.
 *
 * @param row the identity columns; valid until the next identity is made
 * @param hash a hash of the row's bytes
 * @param keyless whether it is a change of a table without a key, and the row without its ordinal:
 *     which of the equal ones it is, {@link EqualRows} says
 * @param hasContentHash whether the row keeps a content hash, as part of its identity or for the
 *     payload hash of an event
 * @param contentHigh first half of the content hash
 * @param contentLow second half of the content hash
 * @param payloadHash for the events kind, what must be equal when the key is; else 0
 */
record Identity(
    UnsafeRow row,
    long hash,
    boolean keyless,
    boolean hasContentHash,
    long contentHigh,
    long contentLow,
    long payloadHash)
    implements Identified {}
