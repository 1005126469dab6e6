package io.onceberg.it.stack;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * A PostgreSQL server with {@code wal_level=logical}, as a child process on a free port of
 * loopback. Its data survive {@link #kill} and {@link #restart}; they are not safe from a crash of
 * the whole machine, since nothing is forced to disk.
 */
public final class LocalPostgres implements AutoCloseable {
  private static final Duration START = Duration.ofSeconds(60);
  private static final Duration STOP = Duration.ofSeconds(20);
  private static final String USER = "postgres";

  private final Unprivileged user = Unprivileged.find();
  private final Path directory;
  private final boolean temporary;
  private final int port = Ports.free();
  private final String password =
      HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());
  private @Nullable OwnedProcess server;

  private LocalPostgres(Path directory, boolean temporary) {
    this.directory = directory;
    this.temporary = temporary;
  }

  /** Starts a new server on data that are deleted when it is closed. */
  public static LocalPostgres start() {
    return start(Owned.temporaryDirectory("postgres"), true);
  }

  /**
   * Starts a new server.
   *
   * @param directory keeps data and log; must be empty or absent
   */
  public static LocalPostgres start(Path directory) {
    return start(directory.toAbsolutePath(), false);
  }

  private static LocalPostgres start(Path directory, boolean temporary) {
    LocalPostgres made = new LocalPostgres(directory, temporary);
    try {
      made.initialise();
      made.restart();
      return made;
    } catch (StackException e) {
      made.close();
      throw e;
    }
  }

  public int port() {
    return port;
  }

  public String user() {
    return USER;
  }

  public String password() {
    return password;
  }

  public Path log() {
    return directory.resolve("postgres.log");
  }

  /** A JDBC URL without credentials. */
  public String jdbcUrl(String database) {
    return "jdbc:postgresql://%s:%d/%s".formatted(Ports.LOOPBACK, port, database);
  }

  /** A URL for psql, with credentials. */
  public String psqlUrl(String database) {
    return "postgresql://%s:%s@%s:%d/%s".formatted(USER, password, Ports.LOOPBACK, port, database);
  }

  /** A new connection as superuser. */
  public Connection connect(String database) throws SQLException {
    return DriverManager.getConnection(jdbcUrl(database), USER, password);
  }

  /** Makes an empty database. */
  public void createDatabase(String database) {
    try (Connection connection = connect("postgres");
        Statement statement = connection.createStatement()) {
      statement.execute("create database " + statement.enquoteIdentifier(database, true));
    } catch (SQLException e) {
      throw new StackException("cannot create database " + database, e);
    }
  }

  /** Ends the server without warning, as a crash would; {@link #restart} brings it back. */
  public void kill() {
    if (server != null) {
      server.kill();
      server = null;
    }
  }

  /** The server's process, while it has one. */
  public Optional<OwnedProcess> process() {
    return Optional.ofNullable(server);
  }

  /** Ends the server in good order, connections included. */
  public void stop() {
    if (server != null) {
      server.close();
      server = null;
    }
  }

  /** Starts the server again on the same port and data; it is stopped before when it runs. */
  public void restart() {
    stop();
    List<String> program =
        List.of(program("postgres"), "-D", data().toString(), "-p", Integer.toString(port));
    OwnedProcess started =
        OwnedProcess.start("PostgreSQL", user.command(program), Map.of(), log(), "INT");
    server = started;
    Deadline deadline = Deadline.in(START);
    while (!answers()) {
      if (!started.alive()) {
        throw started.failure("did not start");
      }
      if (!deadline.pause()) {
        throw started.failure("does not answer after %d s".formatted(START.toSeconds()));
      }
    }
  }

  @Override
  public void close() {
    stop();
    if (temporary) {
      Owned.deleteTree(directory);
    }
  }

  private boolean answers() {
    try (Connection connection = connect("postgres")) {
      return connection.isValid(1);
    } catch (SQLException e) {
      return false;
    }
  }

  private void initialise() {
    try {
      Files.createDirectories(directory);
      Files.createDirectory(
          data(),
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      Path passwordFile = directory.resolve("password");
      Files.createFile(
          passwordFile,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      Files.writeString(passwordFile, password);
      user.handOver(directory);
      runInitdb(passwordFile);
      Files.writeString(data().resolve("postgresql.auto.conf"), SETTINGS);
      Files.delete(passwordFile);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot prepare " + directory, e);
    }
  }

  private void runInitdb(Path passwordFile) {
    List<String> program =
        List.of(
            program("initdb"),
            "-D",
            data().toString(),
            "-U",
            USER,
            "--encoding=UTF8",
            "--locale=C",
            "--auth=scram-sha-256",
            "--pwfile=" + passwordFile,
            "--no-sync",
            "--no-instructions");
    OwnedProcess initdb =
        OwnedProcess.start("initdb", user.command(program), Map.of("LC_ALL", "C"), log());
    if (!initdb.awaitEnd(START)) {
      initdb.kill();
      throw initdb.failure("did not end within %d s".formatted(START.toSeconds()));
    }
    initdb.terminate(STOP);
    if (initdb.exitStatus().orElse(1) != 0) {
      throw initdb.failure("failed");
    }
  }

  private Path data() {
    return directory.resolve("data");
  }

  private static String program(String name) {
    return PostgresBinaries.directory().resolve("bin").resolve(name).toString();
  }

  private static final String SETTINGS =
      """
      wal_level = logical
      listen_addresses = '%s'
      unix_socket_directories = ''
      max_connections = 60
      max_wal_senders = 12
      max_replication_slots = 12
      max_wal_size = '512MB'
      shared_buffers = '64MB'
      fsync = off
      full_page_writes = off
      timezone = 'UTC'
      log_timezone = 'UTC'
      """
          .formatted(Ports.LOOPBACK);
}
