package io.onceberg.ingest.decode;

import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;

/**
 * Where a change event comes from: all that may be part of its identity, and its times.
 *
 * @param source connector name, database, schema and table as {@code name.db.schema.table}; null
 *     for a flattened event
 * @param lsn the event's own LSN, an unsigned 64-bit number; null where the source gives none
 * @param txId the transaction's id; null outside a transaction
 * @param ordinal the event's place among those of its table in its transaction ({@code
 *     data_collection_order}); null when transaction metadata is off
 * @param key the record key in the layout of {@code TargetLayout.key}; null when the record has no
 *     key. Valid until the decoder's next call
 * @param keyText the record key as compact JSON, for people; null when the record has no key
 * @param tsMicros the envelope's time (ts_us, ts_ms), microseconds since the epoch
 * @param sourceTsMicros the source's time, microseconds since the epoch
 */
public record EventOrigin(
    Op op,
    @Nullable UTF8String source,
    @Nullable Long lsn,
    @Nullable Long txId,
    @Nullable Long ordinal,
    @Nullable UnsafeRow key,
    @Nullable UTF8String keyText,
    @Nullable Long tsMicros,
    @Nullable Long sourceTsMicros) {}
