package io.onceberg.ingest.sink;

import static org.assertj.core.api.Assertions.assertThat;

import io.onceberg.ingest.dedup.ReadTask;
import io.onceberg.keystore.SourcePartition;
import io.onceberg.keystore.SourceRange;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReadTasksTest {
  @Test
  void oneLongPartitionIsSharedByAllTasks() {
    List<ReadTask> tasks = ReadTasks.cut(List.of(part("a", 100, 100_100)), 2);
    assertThat(tasks).hasSize(2);
    assertThat(tasks.get(0).parts()).containsExactly(part("a", 100, 50_100));
    assertThat(tasks.get(1).parts()).containsExactly(part("a", 50_100, 100_100));
  }

  @Test
  void aSmallBatchIsOneTask() {
    assertThat(ReadTasks.cut(List.of(part("a", 0, 100), part("b", 0, 3)), 2)).hasSize(1);
  }

  @Test
  void piecesFollowEachOtherAndLeaveNothingOut() {
    List<ReadTask.Part> parts =
        List.of(part("a", 5, 12_345), part("b", 0, 1), part("c", 7, 100_003));
    List<ReadTask> tasks = ReadTasks.cut(parts, 4);
    assertThat(tasks).hasSize(4);
    assertThat(tasks.stream().map(ReadTask::number)).containsExactly(0, 1, 2, 3);
    for (ReadTask.Part part : parts) {
      long next = part.range().from();
      for (ReadTask task : tasks) {
        for (ReadTask.Part piece : task.parts()) {
          if (piece.range().partition().equals(part.range().partition())) {
            assertThat(piece.range().from()).isEqualTo(next);
            next = piece.range().until();
          }
        }
      }
      assertThat(next).isEqualTo(part.range().until());
    }
  }

  private static ReadTask.Part part(String topic, long from, long until) {
    return new ReadTask.Part(
        0, 0, new SourceRange(new SourcePartition(topic, 0), "id", from, until), false);
  }
}
