package io.onceberg.keystore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.onceberg.it.matrix.Area;
import io.onceberg.it.matrix.Fault;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.ChecksumException;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.iceberg.hadoop.HadoopFileIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalDiskTest {
  @TempDir Path directory;

  /** Lets nobody else read what is made. */
  private static Configuration strict(Configuration configuration) {
    configuration.set("fs.permissions.umask-mode", "077");
    return configuration;
  }

  private FileSystem disk() throws IOException {
    return FileSystem.get(directory.toUri(), strict(LocalDisk.configuration()));
  }

  private org.apache.hadoop.fs.Path write(FileSystem files, String name) throws IOException {
    org.apache.hadoop.fs.Path path =
        new org.apache.hadoop.fs.Path(directory.resolve(name).toString());
    try (OutputStream out = files.create(path, true)) {
      out.write(new byte[1_000]);
    }
    return path;
  }

  @Test
  void makesFilesAsHadoopDoes() throws IOException {
    assertThat(disk()).isInstanceOf(LocalDisk.class);
    LocalFileSystem hadoop = new LocalFileSystem();
    hadoop.initialize(directory.toUri(), strict(new Configuration()));
    write(hadoop, "a/theirs");
    write(disk(), "b/ours");
    for (String[] pair : new String[][] {{"a/theirs", "b/ours"}, {"a", "b"}}) {
      assertThat(Files.getPosixFilePermissions(directory.resolve(pair[1])))
          .isEqualTo(Files.getPosixFilePermissions(directory.resolve(pair[0])));
    }
    assertThat(directory.resolve("b/.ours.crc")).exists();
  }

  @Fault(
      area = Area.STORAGE,
      what = "bytes of a file change on a local disk",
      outcome = "noticed by their checksum")
  @Test
  void noticesBytesThatChanged() throws IOException {
    org.apache.hadoop.fs.Path path = write(disk(), "file");
    Files.write(directory.resolve("file"), new byte[] {1, 2, 3});
    assertThatThrownBy(
            () -> {
              try (var in = disk().open(path)) {
                in.readAllBytes();
              }
            })
        .isInstanceOf(ChecksumException.class);
  }

  @Test
  void tablesLieOnIt() throws Exception {
    try (Lake lake = Lake.open(Lake.sqlite(directory)).create()) {
      assertThat(lake.keys().io())
          .isInstanceOfSatisfying(
              HadoopFileIO.class,
              io -> assertThat(io.conf().get("fs.file.impl")).isEqualTo(LocalDisk.class.getName()));
    }
  }
}
