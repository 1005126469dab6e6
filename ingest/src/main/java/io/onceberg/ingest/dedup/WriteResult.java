package io.onceberg.ingest.dedup;

import io.onceberg.error.ErrorCode;
import io.onceberg.keystore.SourceSchema;
import io.onceberg.keystore.StagedFiles;
import java.io.Serializable;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one writing task did for one target.
 *
 * @param newSchemas schemas that the tables must be made to fit first; nothing was written then
 * @param failure why the target must stop; nothing was written then
 */
public record WriteResult(
    int target,
    StagedFiles files,
    Counts counts,
    List<SourceSchema> newSchemas,
    @Nullable ErrorCode failure,
    String failureMessage)
    implements Serializable {
  /** Reads what a writing task returned. */
  public static WriteResult read(byte[] bytes) {
    return Serialised.read(bytes, WriteResult.class);
  }
}
