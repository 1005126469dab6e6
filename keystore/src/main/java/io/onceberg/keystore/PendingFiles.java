package io.onceberg.keystore;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.iceberg.ContentFileParser;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Table;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.util.JsonUtil;

/**
 * What a roll-forward still owes: the key and quarantine files of a batch whose rows may be
 * committed before them. Lies in a file of its own next to the rows' metadata, one staged file a
 * line as Iceberg writes it in JSON, closed by a line with their number.
 */
record PendingFiles(List<DataFile> keys, List<DataFile> quarantine, KeyMerge merge) {
  private static final String KEYS = "keys ";
  private static final String QUARANTINE = "quarantine ";
  private static final String REPLACED = "replaced ";
  private static final String MERGED = "merged ";
  private static final String END = "end ";

  /** Writes the file and returns its location. */
  static String write(TargetTables tables, BatchId batch, StagedFiles files) {
    String location =
        PinnedOperations.of(tables.rows())
            .fresh()
            .metadataFileLocation("onceberg-pending-%s-%s.txt".formatted(batch, UUID.randomUUID()));
    StringBuilder text = new StringBuilder();
    append(text, KEYS, tables.keys(), files.keys());
    append(text, QUARANTINE, tables.quarantine(), files.quarantine());
    append(text, REPLACED, tables.keys(), files.merge().replaced());
    append(text, MERGED, tables.keys(), files.merge().merged());
    int count =
        files.keys().size()
            + files.quarantine().size()
            + files.merge().replaced().size()
            + files.merge().merged().size();
    text.append(END).append(count).append('\n');
    try (OutputStream out = tables.rows().io().newOutputFile(location).createOrOverwrite()) {
      out.write(text.toString().getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new OncebergException(
          ErrorCode.CATALOG_UNREACHABLE, "cannot write " + location + ": " + e.getMessage(), e);
    }
    return location;
  }

  private static void append(StringBuilder text, String role, Table table, List<DataFile> files) {
    Map<Integer, PartitionSpec> specs = table.specs();
    for (DataFile file : files) {
      text.append(role)
          .append(ContentFileParser.toJson(file, specs.get(file.specId())))
          .append('\n');
    }
  }

  /**
   * Reads the file back.
   *
   * @throws OncebergException when it is not there or not whole
   */
  static PendingFiles read(TargetTables tables, String location) {
    Map<String, List<DataFile>> files = new HashMap<>();
    int count = 0;
    try (BufferedReader lines = open(tables.rows().io(), location)) {
      String line = lines.readLine();
      while (line != null && !line.startsWith(END)) {
        String role = line.substring(0, line.indexOf(' ') + 1);
        Table table = role.equals(QUARANTINE) ? tables.quarantine() : tables.keys();
        files
            .computeIfAbsent(role, r -> new ArrayList<>())
            .add(parse(line.substring(role.length()), table));
        count++;
        line = lines.readLine();
      }
      if (line == null || !line.equals(END + count)) {
        throw new IOException("it is not whole");
      }
      return new PendingFiles(
          files.getOrDefault(KEYS, List.of()),
          files.getOrDefault(QUARANTINE, List.of()),
          new KeyMerge(
              files.getOrDefault(REPLACED, List.of()), files.getOrDefault(MERGED, List.of())));
    } catch (IOException | RuntimeException e) {
      throw new OncebergException(
          ErrorCode.LEDGER_BROKEN,
          "a commit by roll-forward ended half way and its list of files %s cannot be read (%s); roll the rows table back to the batch of the keys table"
              .formatted(location, e.getMessage()),
          e);
    }
  }

  private static BufferedReader open(FileIO io, String location) {
    return new BufferedReader(
        new InputStreamReader(io.newInputFile(location).newStream(), StandardCharsets.UTF_8));
  }

  private static DataFile parse(String json, Table table) {
    return (DataFile) JsonUtil.parse(json, node -> ContentFileParser.fromJson(node, table.specs()));
  }
}
