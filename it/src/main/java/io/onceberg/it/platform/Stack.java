package io.onceberg.it.platform;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;

/**
 * One service of each kind, and as many daemons as are asked for. What runs on one stack runs on
 * any: as processes of this machine or as containers.
 */
public interface Stack extends AutoCloseable {
  /** Where this program reaches a service; the same after a restart. */
  Address outside(Service service);

  /** Where the services and the daemon reach a service. */
  Address inside(Service service);

  /** Where one of them reaches a service: through a link that can be disturbed, if there is one. */
  default Address inside(Client client, Service service) {
    return inside(service);
  }

  /** The password of the database's superuser {@code postgres}. */
  String password();

  /** Ends a service without warning, as a crash would; its data stay. */
  void kill(Service service);

  /** Starts a killed service again and waits until it answers. */
  void restart(Service service);

  /** The last lines that a service has written. */
  String tail(Service service);

  /**
   * Starts a daemon.
   *
   * @param name of this daemon alone; lower case
   */
  RunningDaemon daemon(String name, Map<String, String> settings);

  /** A new connection to the database as superuser. */
  default Connection connect(String database) throws SQLException {
    return DriverManager.getConnection(
        "jdbc:postgresql://%s/%s".formatted(outside(Service.POSTGRES).hostAndPort(), database),
        PlatformSettings.USER,
        password());
  }

  /** Ends everything and deletes all data. */
  @Override
  void close();
}
