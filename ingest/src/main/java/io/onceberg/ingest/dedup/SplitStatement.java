package io.onceberg.ingest.dedup;

import io.onceberg.ingest.decode.Decoded;
import io.onceberg.ingest.source.KafkaRangeReader;
import io.onceberg.ingest.source.RangeReader;
import io.onceberg.keystore.SourcePartition;
import io.onceberg.keystore.SourceRange;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Rows of one statement share a position, and a batch may end between them. Where the record key is
 * not unique, a row after the end has the identity of one before it, which the keys table holds by
 * then: it would pass for a replay. So what is stored already and begins a range is compared with
 * the records of its position that lie before it in Kafka.
 */
final class SplitStatement {
  private final UniqueBatch batch;
  private final TargetSpec spec;
  private final FrameContents contents;

  SplitStatement(UniqueBatch batch, int target) {
    this.batch = batch;
    this.spec = batch.polled().batch().targets().get(target);
    this.contents = batch.target(target).contents;
  }

  /**
   * Those changes that are other events than the one whose identity they share.
   *
   * @param stored changes of the first position of a range whose identities are stored, in order
   */
  Pointers conflicting(Pointers stored) {
    Pointers conflicting = new Pointers();
    Frame frame = new Frame();
    int topic = -1;
    int partition = -1;
    Chunks earlier = Chunks.NONE;
    for (int i = 0; i < stored.size(); i++) {
      batch.polled().chunks().move(frame, stored.at(i));
      if (frame.topic() != topic || frame.partition() != partition) {
        topic = frame.topic();
        partition = frame.partition();
        earlier = earlier(frame);
      }
      if (differs(frame, earlier)) {
        conflicting.add(stored.at(i));
      }
    }
    return conflicting;
  }

  /** The first of its identity is the one that became a row. */
  private boolean differs(Frame frame, Chunks earlier) {
    boolean[] differs = {false};
    earlier.forEach(
        (other, pointer) -> {
          if (frame.sameIdentity(other)) {
            differs[0] = !contents.same(other, frame);
          }
        });
    return differs[0];
  }

  /**
   * The changes of a frame's position that lie right before it in its partition, last one first.
   */
  private Chunks earlier(Frame frame) {
    BatchSpec job = batch.polled().batch();
    SourceRange range =
        new SourceRange(
            new SourcePartition(job.topics().get(frame.topic()), frame.partition()),
            job.topicIds().get(frame.topic()),
            frame.offset(),
            frame.offset() + 1);
    FrameWriter writer = new FrameWriter(0, false);
    ReadingTools tools = ReadingTools.borrow(spec);
    try (RangeReader reader = new KafkaRangeReader(job.consumer(), job.pollTimeout())) {
      Long position = frame.optional(Frame.HAS_LSN, Frame.LSN);
      reader.readBack(range, window -> take(window, position, frame, tools, writer));
    } finally {
      tools.giveBack();
    }
    writer.flush();
    List<byte[]> chunks = new ArrayList<>();
    for (byte[] chunk = writer.pollFull(); chunk != null; chunk = writer.pollFull()) {
      chunks.add(chunk);
    }
    return Chunks.of(chunks);
  }

  /** Takes the changes of the position; whether those before the window are wanted, too. */
  private static boolean take(
      List<ConsumerRecord<byte[], byte[]>> window,
      @Nullable Long position,
      Frame frame,
      ReadingTools tools,
      FrameWriter writer) {
    for (int i = window.size() - 1; i >= 0; i--) {
      ConsumerRecord<byte[], byte[]> record = window.get(i);
      if (!(tools.decoder().decode(record) instanceof Decoded.Change change)) {
        continue;
      }
      if (position == null || !position.equals(change.origin().lsn())) {
        return false;
      }
      Identified known = tools.identities().identify(change, record.partition(), record.offset());
      if (known instanceof Identity identity) {
        Coordinates at =
            new Coordinates(frame.target(), frame.topic(), record.partition(), record.offset());
        writer.change(at, change, identity);
      }
    }
    return true;
  }
}
