package io.onceberg.it.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.onceberg.ingest.sink.TargetReport;
import io.onceberg.it.matrix.Area;
import io.onceberg.it.matrix.Case;
import io.onceberg.it.matrix.Fault;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Changelog targets: every change event once, whatever is replayed. */
class ChangelogTest extends OrdersTopic {
  ChangelogTest() {
    super(2);
  }

  /** A batch, then the same events at new offsets, among them some of the same batch. */
  @Fault(area = Area.SOURCE, what = "events come again at new offsets, in the same batch and later")
  @Test
  void replayedEventsAddNothing() {
    List<Event> events =
        List.of(Event.create(10, 1, "a"), Event.update(11, 1, "b"), Event.create(12, 2, "c"));
    pipeline.send(topic, 0, events);
    pipeline.send(topic, 0, List.of(Event.create(10, 1, "a")));
    TargetReport first = pipeline.landed();
    assertThat(first.read()).isEqualTo(4);
    assertThat(first.rows()).isEqualTo(3);
    assertThat(first.inBatch()).isEqualTo(1);
    pipeline.send(topic, 0, events);
    TargetReport second = pipeline.landed();
    assertThat(second.rows()).isZero();
    assertThat(second.connectorReplay()).isEqualTo(3);
    assertThat(pipeline.count("orders")).isEqualTo(3);
    assertThat(pipeline.count("orders_keys")).isEqualTo(3);
    assertThat(pipeline.batch()).isEmpty();
  }

  /** Case B1: the rows of one COPY share an LSN. */
  @Fault(
      area = Area.IDENTITY,
      what = "COPY of a thousand rows under one LSN",
      outcome = "a thousand rows; a replay adds none",
      cases = Case.B1)
  @Test
  void copyOfAThousandRowsUnderOneLsn() {
    List<Event> copy = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      copy.add(Event.create(50, i, "row " + i));
    }
    pipeline.send(topic, 0, copy);
    assertThat(pipeline.landed().rows()).isEqualTo(1_000);
    pipeline.send(topic, 1, copy);
    assertThat(pipeline.landed().connectorReplay()).isEqualTo(1_000);
    assertThat(pipeline.count("orders")).isEqualTo(1_000);
  }

  @Fault(
      area = Area.SOURCE,
      what = "the daemon is started anew",
      outcome = "it goes on where the ledger stands")
  @Test
  void progressSurvivesARestart() {
    pipeline.send(topic, 0, List.of(Event.create(10, 1, "a")));
    pipeline.landed();
    pipeline.restart();
    assertThat(pipeline.batch()).isEmpty();
    pipeline.send(topic, 0, List.of(Event.create(10, 1, "a"), Event.create(11, 2, "b")));
    assertThat(pipeline.landed().rows()).isEqualTo(1);
  }
}
