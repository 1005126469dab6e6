package io.onceberg.keystore;

import io.onceberg.keystore.KeyRebuilt.Repeated;
import io.onceberg.keystore.MergePlan.Place;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.io.OutputFileFactory;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * Keys on their way from rows to files that no table names yet: collected, each identity once,
 * written as sorted runs of their days, and merged. Whether an identity was met before is looked up
 * in those runs, as a batch looks it up, so that memory does not grow with the number of keys.
 */
final class RebuiltKeys {
  private static final int EXAMPLES = 10;

  private final TableImage image;
  private final int[] leads;
  private final boolean payload;
  private final int mostCollected;
  private final KeyProgress progress;
  private final OutputFileFactory places;
  private final List<Collected> collected = new ArrayList<>();
  private final Set<UnsafeRow> identities = new HashSet<>();
  private final List<Repeated> examples = new ArrayList<>();
  private final Map<String, DataFile> files = new HashMap<>();
  private List<StoredFile> runs = new ArrayList<>();
  private long repeated;
  private int written;

  /**
   * Holds nothing yet.
   *
   * @param mostCollected how many keys are held in memory
   */
  RebuiltKeys(TableImage image, int mostCollected, KeyProgress progress) {
    this.image = image;
    this.leads = LeadColumn.ids(image.keyLeads());
    this.payload = image.settings.kind() == TargetKind.EVENTS;
    this.mostCollected = mostCollected;
    this.progress = progress;
    this.places =
        OutputFileFactory.builderFor(image.keys, 0, 0)
            .format(FileFormat.PARQUET)
            .operationId(UUID.randomUUID().toString())
            .build();
  }

  private record Collected(UnsafeRow identity, long payloadHash, Repeated place) {
    int day() {
      return Math.toIntExact(place.loadedDate().toEpochDay());
    }
  }

  /** Adds the key of a row; the identity may change afterwards. */
  void add(UnsafeRow identity, long payloadHash, LocalDate day, StoredRow row) {
    Collected key =
        new Collected(
            identity.copy(), payloadHash, new Repeated(day, row.partition(), row.offset()));
    if (!identities.add(key.identity)) {
      repeats(key);
      return;
    }
    collected.add(key);
    if (collected.size() == mostCollected) {
      write();
      merge(MergePlan.MOST_FILES);
    }
  }

  private void repeats(Collected key) {
    repeated++;
    if (examples.size() < EXAMPLES) {
      examples.add(key.place);
    }
  }

  /** Writes what is collected. */
  void write() {
    KeyHits known =
        new LsmKeyLookup(image, runs).find(collected.stream().map(Collected::identity).toList());
    Map<Integer, List<Collected>> byDay = new TreeMap<>();
    for (int i = 0; i < collected.size(); i++) {
      Collected key = collected.get(i);
      if (known.stored().get(i)) {
        repeats(key);
      } else {
        byDay.computeIfAbsent(key.day(), d -> new ArrayList<>()).add(key);
      }
    }
    byDay.forEach(this::write);
    collected.clear();
    identities.clear();
  }

  private void write(int day, List<Collected> keys) {
    TargetWriter writer = new ParquetTargetWriter(image, List.of(), day, 0, written++);
    boolean done = false;
    try {
      writer.writeKeys(
          keys.stream().map(Collected::identity).toList(),
          payload ? keys.stream().mapToLong(Collected::payloadHash).toArray() : new long[0]);
      writer.finish().keys().forEach(file -> hold(file, day));
      done = true;
    } finally {
      if (!done) {
        writer.abort();
      }
    }
  }

  private void hold(DataFile file, int day) {
    files.put(file.location(), file);
    runs.add(StoredFile.of(file, StoredFiles.isByDay(image.keys) ? day : StoredFile.NO_DAY, leads));
  }

  /** Merges the runs of each day as far as their keys need no more files. */
  void merge() {
    merge(2);
  }

  private void merge(int least) {
    for (Map.Entry<Place, List<StoredFile>> place : MergePlan.places(runs).entrySet()) {
      List<StoredFile> left = place.getValue();
      List<StoredFile> group = MergePlan.compacting(left, MergePlan.MOST_ROWS);
      while (left.size() >= least && !group.isEmpty()) {
        merge(place.getKey().day(), group);
        left = MergePlan.places(runs).getOrDefault(place.getKey(), List.of());
        group = MergePlan.compacting(left, MergePlan.MOST_ROWS);
      }
    }
  }

  private void merge(int day, List<StoredFile> group) {
    String step = "merging keys of " + LocalDate.ofEpochDay(day);
    long rows = MergePlan.rows(group);
    KeyMerge merge =
        new KeyMerging(image)
            .merge(group, places, MergePlan.MOST_ROWS, done -> progress.at(step, done, rows));
    Set<StoredFile> gone = new HashSet<>(group);
    runs = new ArrayList<>(runs.stream().filter(run -> !gone.contains(run)).toList());
    group.forEach(run -> files.remove(run.path()));
    delete(group.stream().map(StoredFile::path).toList());
    merge.merged().forEach(file -> hold(file, day));
  }

  /** The files that hold all that was written. */
  Collection<DataFile> files() {
    return files.values();
  }

  /** How many rows had an identity that another row had before. */
  long repeated() {
    return repeated;
  }

  List<Repeated> examples() {
    return examples;
  }

  /** Deletes what was written. */
  void abort() {
    delete(files.keySet());
  }

  private void delete(Collection<String> paths) {
    CatalogUtil.deleteFiles(image.keys.io(), List.copyOf(paths), "key files of a rebuild");
  }
}
