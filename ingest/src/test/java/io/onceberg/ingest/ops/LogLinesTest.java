package io.onceberg.ingest.ops;

import static org.assertj.core.api.Assertions.assertThat;

import io.onceberg.error.ErrorCode;
import io.onceberg.ingest.decode.ControlKind;
import io.onceberg.ingest.sink.TargetReport;
import io.onceberg.keystore.BatchId;
import io.onceberg.keystore.SourcePartition;
import io.onceberg.keystore.SourceRange;
import io.onceberg.keystore.TargetName;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class LogLinesTest {
  private static final TargetName ORDERS = new TargetName("shop.eu", "orders");
  private static final List<SourceRange> RANGES =
      List.of(
          new SourceRange(new SourcePartition("shop-a.public.orders", 0), "id", 100, 200),
          new SourceRange(new SourcePartition("shop-a.public.orders", 12), "id", 0, 1));
  private static final BatchId ID = BatchId.of(7, RANGES);

  @Test
  void aBatchLineIsReadAsItWasWritten() {
    TargetReport report =
        new TargetReport(
            ORDERS,
            ID,
            100,
            80,
            1,
            2,
            3,
            4,
            Map.of(ErrorCode.EVENT_CONFLICT, 5L, ErrorCode.UNDECODABLE, 1L),
            2,
            1,
            Map.of(ControlKind.SCHEMA_CHANGE, 1L),
            6);
    BatchLine line = new BatchLine(report, 345);

    assertThat(line)
        .hasToString(
            "batch target=shop.eu.orders id="
                + ID
                + " read=100 rows=80 in_batch=1 connector_replay=2 snapshot_overlap=3"
                + " conflicts_dropped=4 quarantined=OB-301:1,OB-305:5 quarantined_before=2"
                + " tombstones=1 control=schema_change:1 checked_beyond_horizon=6 millis=345");
    assertThat(BatchLine.parse("2026-11-30T01:02:03.004Z INFO  IngestLoop " + line)).contains(line);
    assertThat(BatchLine.parse(line.toString())).contains(line);
  }

  @Test
  void aPlanLineIsReadAsItWasWritten() {
    PlanLine line = PlanLine.of(ORDERS, ID, RANGES);

    assertThat(line)
        .hasToString(
            "plan target=shop.eu.orders id="
                + ID
                + " ranges=shop-a.public.orders-0:100-200,shop-a.public.orders-12:0-1");
    assertThat(PlanLine.parse("INFO IngestLoop " + line)).contains(line);
  }

  @Test
  void otherLinesAreNotTakenForThem() {
    assertThat(BatchLine.parse("INFO a batch took long")).isEmpty();
    assertThat(PlanLine.parse("INFO plan for tomorrow")).isEmpty();
    assertThat(PlanLine.parse(BatchLine.parse("x").map(Object::toString).orElse(""))).isEmpty();
  }
}
