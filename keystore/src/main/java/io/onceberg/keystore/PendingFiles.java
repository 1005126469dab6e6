package io.onceberg.keystore;

import io.onceberg.error.ErrorCode;
import io.onceberg.error.OncebergException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
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
record PendingFiles(List<DataFile> keys, List<DataFile> quarantine) {
  private static final String KEYS = "keys ";
  private static final String QUARANTINE = "quarantine ";
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
    text.append(END).append(files.keys().size() + files.quarantine().size()).append('\n');
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
    PendingFiles files = new PendingFiles(new ArrayList<>(), new ArrayList<>());
    try (BufferedReader lines = open(tables.rows().io(), location)) {
      String line = lines.readLine();
      while (line != null && !line.startsWith(END)) {
        if (line.startsWith(KEYS)) {
          files.keys.add(parse(line.substring(KEYS.length()), tables.keys()));
        } else if (line.startsWith(QUARANTINE)) {
          files.quarantine.add(parse(line.substring(QUARANTINE.length()), tables.quarantine()));
        }
        line = lines.readLine();
      }
      if (line == null || !line.equals(END + (files.keys.size() + files.quarantine.size()))) {
        throw new IOException("it is not whole");
      }
      return files;
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
