package io.onceberg.ingest.sink;

import io.onceberg.error.ErrorCode;
import io.onceberg.ingest.dedup.Counts;
import io.onceberg.ingest.dedup.WriteResult;
import io.onceberg.keystore.SourceSchema;
import io.onceberg.keystore.StagedFiles;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What all writing tasks together did for one target.
 *
 * @param newSchemas in the order of the records that brought them: the first decides
 */
record TargetWritten(
    StagedFiles files,
    Counts counts,
    Set<SourceSchema> newSchemas,
    @Nullable ErrorCode failure,
    String failureMessage) {

  static TargetWritten of(List<WriteResult> results, int target) {
    StagedFiles files = StagedFiles.NONE;
    Counts counts = new Counts();
    Set<SourceSchema> schemas = new LinkedHashSet<>();
    ErrorCode failure = null;
    String message = "";
    for (WriteResult result : results) {
      if (result.target() == target) {
        files = files.plus(result.files());
        counts.addAll(result.counts());
        schemas.addAll(result.newSchemas());
        if (failure == null && result.failure() != null) {
          failure = result.failure();
          message = result.failureMessage();
        }
      }
    }
    return new TargetWritten(files, counts, schemas, failure, message);
  }
}
