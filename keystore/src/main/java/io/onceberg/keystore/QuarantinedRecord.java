package io.onceberg.keystore;

import io.onceberg.error.ErrorCode;
import org.jspecify.annotations.Nullable;

/**
 * A record that could not become a row, with all that is needed to put it through again.
 *
 * @param identityDigest 16 bytes that tell this record from all others however often it is
 *     replayed; a record with this digest is quarantined once
 * @param timestampMillis the Kafka record's timestamp, milliseconds since the epoch
 */
public record QuarantinedRecord(
    byte[] identityDigest,
    ErrorCode code,
    String detail,
    String topic,
    String topicId,
    int partition,
    long offset,
    long timestampMillis,
    byte @Nullable [] key,
    byte @Nullable [] value) {}
