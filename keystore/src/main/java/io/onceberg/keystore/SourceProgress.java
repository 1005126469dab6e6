package io.onceberg.keystore;

import java.io.Serializable;

/**
 * How far one partition has been committed.
 *
 * @param topicId the topic's id, which changes when a topic is deleted and created again
 * @param nextOffset the first offset not yet committed
 */
public record SourceProgress(String topicId, long nextOffset) implements Serializable {
  public SourceProgress {
    if (nextOffset < 0) {
      throw new IllegalArgumentException("negative offset " + nextOffset);
    }
  }
}
