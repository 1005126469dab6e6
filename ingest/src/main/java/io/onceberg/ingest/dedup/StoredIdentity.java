package io.onceberg.ingest.dedup;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import io.onceberg.ingest.config.DedupPolicy;
import io.onceberg.ingest.decode.EventOrigin;
import io.onceberg.ingest.decode.KeyTextReader;
import io.onceberg.ingest.decode.Op;
import io.onceberg.keystore.StoredIdentities;
import io.onceberg.keystore.StoredRow;
import io.onceberg.keystore.TargetKind;
import io.onceberg.keystore.TargetName;
import io.onceberg.keystore.TaskTarget;
import java.nio.ByteBuffer;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;

/** Makes the identities of stored rows by the same rule that made them when the events came. */
public final class StoredIdentity implements StoredIdentities {
  private final TargetName target;
  private final boolean events;
  private final Types.@Nullable StructType keyLayout;
  private final IdentityRule rule;
  private @Nullable KeyTextReader keys;

  public StoredIdentity(TaskTarget target, DedupPolicy policy) {
    this.target = target.settings().name();
    this.events = target.settings().kind() == TargetKind.EVENTS;
    this.keyLayout = target.layout().key();
    this.rule = new IdentityRule(target, policy);
  }

  @Override
  public @Nullable UnsafeRow identity(StoredRow row) {
    String letter = row.op();
    if (letter == null) {
      return null;
    }
    if (events) {
      return rule.ofStoredEvent(row);
    }
    Op op = Op.of(letter);
    EventOrigin origin =
        new EventOrigin(
            op, text(row.source()), row.lsn(), row.txId(), row.ordinal(), null, null, null, null);
    InternalRow key = row.key() == null ? null : key(row.key());
    byte[] content = row.contentHash();
    if (content == null && IdentityRule.isKnownByContent(op, key)) {
      throw lacks(row, "_cdc.content_hash");
    }
    Integer epoch = row.epoch();
    if (epoch == null) {
      throw lacks(row, "_cdc.epoch");
    }
    return rule.ofStoredChange(origin, epoch, key, content, row.partition(), row.offset());
  }

  private static @Nullable UTF8String text(@Nullable String text) {
    return text == null ? null : UTF8String.fromString(text);
  }

  private InternalRow key(String text) {
    KeyTextReader reader = keys;
    if (reader == null) {
      if (keyLayout == null) {
        throw new OncebergException(
            ErrorCode.IDENTITY_NOT_STORED,
            "%s has rows with a key, such as %s, and its keys table has no column for it"
                .formatted(target, text));
      }
      reader = new KeyTextReader(keyLayout);
      keys = reader;
    }
    return reader.read(text);
  }

  @Override
  public long payloadHash(StoredRow row) {
    if (!events) {
      return 0;
    }
    byte[] content = row.contentHash();
    if (content == null) {
      throw lacks(row, "_cdc.content_hash");
    }
    ByteBuffer halves = ByteBuffer.wrap(content);
    return ContentHash.folded(halves.getLong(), halves.getLong());
  }

  private OncebergException lacks(StoredRow row, String what) {
    return new OncebergException(
        ErrorCode.IDENTITY_NOT_STORED,
        "%s: the row of partition %d offset %d lacks %s, of which its identity is made"
            .formatted(target, row.partition(), row.offset(), what));
  }
}
