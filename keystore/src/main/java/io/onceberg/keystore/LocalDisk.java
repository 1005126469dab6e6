package io.onceberg.keystore;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * Hadoop's local file system without its processes: where Hadoop's native library is missing, it
 * starts {@code chmod} twice for every file it makes, which costs a small batch more than all else.
 * Hadoop makes it by its name.
 */
public final class LocalDisk extends LocalFileSystem {
  private static final String IMPLEMENTATION = "fs.file.impl";

  public LocalDisk() {
    super(new Raw());
  }

  /** What catalogs and their tables are opened with. */
  static Configuration configuration() {
    Configuration configuration = new Configuration();
    if (configuration.get(IMPLEMENTATION) == null) {
      configuration.setClass(IMPLEMENTATION, LocalDisk.class, FileSystem.class);
      // others in this process may have made Hadoop's own before
      configuration.setBoolean(IMPLEMENTATION + ".disable.cache", true);
    }
    return configuration;
  }

  private static final class Raw extends RawLocalFileSystem {
    @Override
    public void setPermission(Path path, FsPermission permission) throws IOException {
      PosixFileAttributeView file =
          Files.getFileAttributeView(pathToFile(path).toPath(), PosixFileAttributeView.class);
      if (file == null || permission.getStickyBit()) {
        super.setPermission(path, permission);
      } else {
        file.setPermissions(PosixFilePermissions.fromString(permission.toString()));
      }
    }
  }
}
