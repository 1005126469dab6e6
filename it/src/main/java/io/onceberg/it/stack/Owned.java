package io.onceberg.it.stack;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What this program has started and made: child processes and temporary directories.
 *
 * <p>Every child is written down in a file named after its process id, with the start times of
 * child and owner. A shutdown hook ends all children and deletes the directories. After a crash of
 * the owner the files stay, and the next program that starts a child ends those whose owner is
 * gone; the start times keep it from touching a stranger that was given the same process id.
 */
final class Owned {
  private static final Duration GRACE = Duration.ofSeconds(4);
  private static final Set<OwnedProcess> PROCESSES = ConcurrentHashMap.newKeySet();
  private static final Set<Path> DIRECTORIES = ConcurrentHashMap.newKeySet();
  private static final Pattern TEMPORARY = Pattern.compile("[a-z]+-(\\d+)-\\d+");
  private static final Path HOME = home();
  private static volatile boolean ending;

  static {
    reapOrphans();
    Runtime.getRuntime().addShutdownHook(new Thread(Owned::endAll, "end-children"));
  }

  private Owned() {}

  /** A directory of this user's own, where things shared between runs are kept. */
  static Path sharedDirectory() {
    return HOME;
  }

  /** A new directory that is deleted when the program ends. */
  static Path temporaryDirectory(String name) {
    try {
      Path made = Files.createTempDirectory(HOME, name + "-" + ProcessHandle.current().pid() + "-");
      DIRECTORIES.add(made);
      return made;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Deletes this too when the program ends. */
  static void deleteAtEnd(Path directory) {
    DIRECTORIES.add(directory);
  }

  /**
   * Takes a child that was just started.
   *
   * @throws StackException when this program is ending: what is started then is ended at once, else
   *     it would stay behind
   */
  static void add(OwnedProcess process) {
    PROCESSES.add(process);
    write(process);
    if (ending) {
      process.kill();
      throw new StackException("not started, since the program is ending: " + process);
    }
  }

  private static void write(OwnedProcess process) {
    Properties entry = new Properties();
    entry.setProperty("started", startOf(process.handle()));
    entry.setProperty("signal", process.stopSignal());
    entry.setProperty("owner", Long.toString(ProcessHandle.current().pid()));
    entry.setProperty("owner-started", startOf(ProcessHandle.current()));
    try (var out = Files.newOutputStream(entryOf(process.pid()))) {
      entry.store(out, null);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static void remove(OwnedProcess process) {
    PROCESSES.remove(process);
    deleteTree(entryOf(process.pid()));
  }

  /** Deletes a file or a directory with all it holds; what does not exist is deleted already. */
  static synchronized void deleteTree(Path root) {
    try {
      if (Files.exists(root)) {
        Files.walkFileTree(root, new Deletion());
      }
      DIRECTORIES.remove(root);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot delete " + root, e);
    }
  }

  /** Sends a signal by name, such as {@code INT}. */
  static void signal(long pid, String signal) {
    try {
      new ProcessBuilder("sh", "-c", "kill -" + signal + " " + pid + " 2>/dev/null")
          .start()
          .waitFor();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Other threads run on meanwhile, and may be about to start the next child. */
  private static void endAll() {
    ending = true;
    List<OwnedProcess> running = PROCESSES.stream().filter(OwnedProcess::alive).toList();
    running.forEach(p -> signal(p.pid(), p.stopSignal()));
    Deadline.in(GRACE).await(() -> running.stream().noneMatch(OwnedProcess::alive));
    running.forEach(OwnedProcess::kill);
    PROCESSES.stream().filter(process -> !process.alive()).toList().forEach(Owned::remove);
    List.copyOf(DIRECTORIES).forEach(Owned::deleteTree);
  }

  private static void reapOrphans() {
    try (Stream<Path> entries = Files.list(HOME)) {
      List<Path> found = entries.toList();
      found.stream().filter(p -> p.toString().endsWith(".child")).forEach(Owned::reap);
      found.stream().filter(Owned::isAbandoned).forEach(Owned::deleteTree);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Whether this is a temporary directory whose maker is gone. */
  private static boolean isAbandoned(Path directory) {
    Matcher name = TEMPORARY.matcher(directory.getFileName().toString());
    return name.matches() && ProcessHandle.of(Long.parseLong(name.group(1))).isEmpty();
  }

  private static void reap(Path file) {
    Properties entry = new Properties();
    try (var in = Files.newInputStream(file)) {
      entry.load(in);
    } catch (IOException e) {
      return; // another program is reaping or has reaped it
    }
    if (find(entry.getProperty("owner", "0"), entry.getProperty("owner-started", "")).isPresent()) {
      return;
    }
    String name = file.getFileName().toString();
    String pid = name.substring(0, name.indexOf('.'));
    find(pid, entry.getProperty("started", ""))
        .ifPresent(orphan -> endOrphan(orphan, entry.getProperty("signal", "TERM")));
    deleteTree(file);
  }

  private static void endOrphan(ProcessHandle orphan, String signal) {
    signal(orphan.pid(), signal);
    Deadline.in(GRACE).await(() -> !orphan.isAlive());
    orphan.destroyForcibly();
  }

  private static Optional<ProcessHandle> find(String pid, String started) {
    return ProcessHandle.of(Long.parseLong(pid))
        .filter(p -> p.isAlive() && startOf(p).equals(started));
  }

  private static String startOf(ProcessHandle process) {
    return process.info().startInstant().map(Object::toString).orElse("?");
  }

  private static Path entryOf(long pid) {
    return HOME.resolve(pid + ".child");
  }

  private static Path home() {
    Path home =
        Path.of(
            System.getProperty("java.io.tmpdir"), "onceberg-" + System.getProperty("user.name"));
    try {
      if (!Files.isDirectory(home)) {
        Files.createDirectories(
            home,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx--x--x")));
      }
      String owner = Files.getOwner(home).getName();
      if (!owner.equals(System.getProperty("user.name"))) {
        throw new StackException(home + " belongs to " + owner + "; remove it or set TMPDIR");
      }
      return home;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static final class Deletion extends SimpleFileVisitor<Path> {
    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      Files.deleteIfExists(file);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException e) {
      return FileVisitResult.CONTINUE; // a process in its last moments deleted it first
    }

    @Override
    public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException e)
        throws IOException {
      Files.deleteIfExists(directory);
      return FileVisitResult.CONTINUE;
    }
  }
}
