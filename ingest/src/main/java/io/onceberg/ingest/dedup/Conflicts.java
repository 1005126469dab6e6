package io.onceberg.ingest.dedup;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import io.onceberg.ingest.source.KafkaRangeReader;
import io.onceberg.ingest.source.RangeReader;
import io.onceberg.keystore.QuarantinedRecord;
import io.onceberg.keystore.SourcePartition;
import io.onceberg.keystore.SourceRange;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * The conflicting events of one writing task that are to be quarantined. Frames do not carry raw
 * bytes, so their records are read once more: those that lie near each other in one pass.
 */
final class Conflicts {
  /** So many records are read over sooner than another consumer is moved. */
  private static final int LONGEST_GAP = 10_000;

  private record Place(int topic, int partition, long offset, ByteBuffer digest) {
    static final Comparator<Place> ORDER =
        Comparator.comparingInt(Place::topic)
            .thenComparingInt(Place::partition)
            .thenComparingLong(Place::offset);

    boolean isNear(Place before) {
      return topic == before.topic
          && partition == before.partition
          && offset - before.offset <= LONGEST_GAP;
    }
  }

  private final BatchSpec batch;
  private final ErrorCode code;
  private final FrameContents contents;
  private final Map<ByteBuffer, Place> places = new LinkedHashMap<>();

  /**
   * Starts with none.
   *
   * @param code why they conflict
   */
  Conflicts(BatchSpec batch, ErrorCode code, FrameContents contents) {
    this.batch = batch;
    this.code = code;
    this.contents = contents;
  }

  /** Takes the frame's event; false when the same one is there already. */
  boolean add(Frame frame) {
    byte[] identity = Objects.requireNonNull(frame.bytes(Frame.IDENTITY));
    ByteBuffer digest = ByteBuffer.wrap(QuarantineDigest.ofConflict(identity, contents.of(frame)));
    Place place = new Place(frame.topic(), frame.partition(), frame.offset(), digest);
    return places.putIfAbsent(digest, place) == null;
  }

  Set<ByteBuffer> digests() {
    return places.keySet();
  }

  String detail(String topic, int partition, long offset) {
    String what =
        switch (code) {
          case KEY_NOT_UNIQUE ->
              "position and key of %s-%d offset %d are those of another change with other values";
          case EQUALS_UNSETTLED ->
              "%s-%d offset %d equals a stored row in all but its order in the transaction: a replay"
                  + " whose order was counted anew, or another equal row";
          default -> "the event key of %s-%d offset %d was stored before with another payload";
        };
    return what.formatted(topic, partition, offset);
  }

  /** The records of those digests that are among these, from Kafka. */
  List<QuarantinedRecord> records(Collection<ByteBuffer> wanted) {
    List<Place> sorted =
        wanted.stream().map(places::get).filter(Objects::nonNull).sorted(Place.ORDER).toList();
    List<QuarantinedRecord> records = new ArrayList<>(sorted.size());
    try (RangeReader reader = new KafkaRangeReader(batch.consumer(), batch.pollTimeout())) {
      int from = 0;
      for (int i = 1; i <= sorted.size(); i++) {
        if (i == sorted.size() || !sorted.get(i).isNear(sorted.get(i - 1))) {
          read(reader, sorted.subList(from, i), records);
          from = i;
        }
      }
    }
    return records;
  }

  private void read(RangeReader reader, List<Place> near, List<QuarantinedRecord> records) {
    Place first = near.get(0);
    SourceRange range =
        new SourceRange(
            new SourcePartition(batch.topics().get(first.topic()), first.partition()),
            batch.topicIds().get(first.topic()),
            first.offset(),
            near.get(near.size() - 1).offset() + 1);
    Map<Long, Place> missing = new HashMap<>();
    near.forEach(place -> missing.put(place.offset(), place));
    reader.read(
        range,
        record -> {
          Place place = missing.remove(record.offset());
          if (place != null) {
            records.add(quarantined(place, record));
          }
        });
    if (!missing.isEmpty()) {
      throw new OncebergException(
          ErrorCode.KAFKA_UNREACHABLE,
          "%s no longer has offsets %s that the batch has read; the batch is tried again"
              .formatted(range.partition(), missing.keySet()));
    }
  }

  private QuarantinedRecord quarantined(Place place, ConsumerRecord<byte[], byte[]> record) {
    return new QuarantinedRecord(
        place.digest().array(),
        code,
        detail(record.topic(), record.partition(), record.offset()),
        record.topic(),
        batch.topicIds().get(place.topic()),
        record.partition(),
        record.offset(),
        record.timestamp(),
        record.key(),
        record.value());
  }
}
