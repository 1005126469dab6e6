package io.onceberg.it.stack;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.xz.XZCompressorInputStream;

/** PostgreSQL's programs for this operating system, unpacked once per user from the class path. */
final class PostgresBinaries {
  private PostgresBinaries() {}

  /** The directory that holds {@code bin}, {@code lib} and {@code share}. */
  static synchronized Path directory() {
    String resource = resource();
    try (InputStream archive = ClassLoader.getSystemResourceAsStream(resource)) {
      if (archive == null) {
        throw new StackException("no PostgreSQL for this machine on the class path: " + resource);
      }
      Path unpacked = Owned.sharedDirectory().resolve("postgres-" + fingerprint(resource));
      if (!Files.isDirectory(unpacked)) {
        Path partial = Files.createTempDirectory(Owned.sharedDirectory(), "unpacking-");
        Files.setPosixFilePermissions(partial, PosixFilePermissions.fromString("rwxr-xr-x"));
        unpack(archive, partial);
        publish(partial, unpacked);
      }
      return unpacked;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot unpack " + resource, e);
    }
  }

  private static String resource() {
    String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    String machine = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
    return "postgres-%s-%s.txz"
        .formatted(
            system.startsWith("mac") ? "darwin" : system,
            machine.equals("aarch64") ? "arm_64" : "x86_64");
  }

  /** Tells versions apart: the archive's place in the local repository holds its version. */
  private static String fingerprint(String resource) {
    return Integer.toHexString(String.valueOf(ClassLoader.getSystemResource(resource)).hashCode());
  }

  private static void publish(Path partial, Path unpacked) throws IOException {
    try {
      Files.move(partial, unpacked, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      Owned.deleteTree(partial);
      if (!Files.isDirectory(unpacked)) { // else another program was first
        throw e;
      }
    }
  }

  private static void unpack(InputStream archive, Path into) throws IOException {
    try (TarArchiveInputStream tar =
        new TarArchiveInputStream(new XZCompressorInputStream(new BufferedInputStream(archive)))) {
      for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
        Path path = into.resolve(entry.getName()).normalize();
        if (!path.startsWith(into)) {
          throw new IOException("entry outside of the archive: " + entry.getName());
        }
        unpack(tar, entry, path);
      }
    }
  }

  private static void unpack(TarArchiveInputStream tar, TarArchiveEntry entry, Path path)
      throws IOException {
    if (entry.isDirectory()) {
      Files.createDirectories(path);
      return;
    }
    Files.createDirectories(path.getParent());
    if (entry.isSymbolicLink()) {
      Files.createSymbolicLink(path, Path.of(entry.getLinkName()));
    } else if (entry.isFile()) {
      Files.copy(tar, path);
      if ((entry.getMode() & 0100) != 0) {
        Set<PosixFilePermission> permissions = EnumSet.copyOf(Files.getPosixFilePermissions(path));
        permissions.add(PosixFilePermission.OWNER_EXECUTE);
        permissions.add(PosixFilePermission.GROUP_EXECUTE);
        permissions.add(PosixFilePermission.OTHERS_EXECUTE);
        Files.setPosixFilePermissions(path, permissions);
      }
    }
  }
}
