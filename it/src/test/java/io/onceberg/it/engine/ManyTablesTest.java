package io.onceberg.it.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.onceberg.ingest.sink.TargetResult;
import io.onceberg.it.stack.SharedStack;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerJobEnd;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Many topics, of which some have records: what one batch of all of them takes and does. */
class ManyTablesTest {
  private static final int TABLES = 12;
  private static final int ACTIVE = 5;
  private static final String MARK = "mark of the end";

  @TempDir Path directory;

  @Test
  void oneJobServesAllTargetsOfABatchAndTouchesNoOther() throws Exception {
    String server = SharedStack.uniqueName("many");
    List<String> topics =
        IntStream.range(0, TABLES).mapToObj(i -> server + ".public.t" + i).toList();
    topics.forEach(topic -> Pipeline.createTopic(topic, 1));
    try (Pipeline pipeline = new Pipeline(directory, Map.of("topics", String.join(",", topics)))) {
      topics.forEach(topic -> pipeline.send(topic, 0, List.of(Event.create(1, 1, topic))));
      assertThat(pipeline.batch()).hasSize(TABLES).allMatch(TargetResult.Landed.class::isInstance);
      List<String> active = topics.subList(2, 2 + ACTIVE);
      for (String topic : active) {
        pipeline.send(topic, 0, List.of(Event.create(1, 1, topic), Event.create(2, 2, topic)));
      }
      Jobs jobs = new Jobs();
      pipeline.spark().sparkContext().addSparkListener(jobs);
      assertThat(pipeline.batch()).hasSize(ACTIVE).allMatch(TargetResult.Landed.class::isInstance);
      assertThat(jobs.until(pipeline)).isEqualTo(1);

      for (int i = 0; i < TABLES; i++) {
        assertThat(pipeline.sql("SELECT id, name FROM shop.t%d ORDER BY id".formatted(i)))
            .extracting(row -> row.getLong(0) + " " + row.getString(1))
            .isEqualTo(
                active.contains(topics.get(i))
                    ? List.of("1 " + topics.get(i), "2 " + topics.get(i))
                    : List.of("1 " + topics.get(i)));
      }
    }
  }

  /** Counts the jobs that were started. */
  private static final class Jobs extends SparkListener {
    private final AtomicInteger started = new AtomicInteger();
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile int mark = -1;

    @Override
    public void onJobStart(SparkListenerJobStart start) {
      if (MARK.equals(start.properties().getProperty("spark.job.description"))) {
        mark = start.jobId();
      } else {
        started.incrementAndGet();
      }
    }

    @Override
    public void onJobEnd(SparkListenerJobEnd end) {
      if (end.jobId() == mark) {
        ended.countDown();
      }
    }

    /** Runs one more job, so that what came before it has been told, and gives the others. */
    int until(Pipeline pipeline) throws InterruptedException {
      pipeline.spark().sparkContext().setJobDescription(MARK);
      pipeline.spark().range(1).collectAsList();
      pipeline.spark().sparkContext().setJobDescription(null);
      assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();
      return started.get();
    }
  }
}
