package io.onceberg.keystore;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * A JDBC driver for {@code jdbc:faulty:...} that passes all to the driver behind it, except for the
 * faults that a real database shows only when the network fails at the right moment.
 */
final class FaultyDriver implements Driver {
  private static final String PREFIX = "jdbc:faulty:";

  /** So many commits take effect but their answer is lost. */
  static final AtomicInteger LOST_ANSWERS = new AtomicInteger();

  /** So many commits fail before they take effect. */
  static final AtomicInteger LOST_REQUESTS = new AtomicInteger();

  /** After a lost answer or request, so many connections are refused. */
  static final AtomicInteger REFUSED_AFTERWARDS = new AtomicInteger();

  /** Happens right after each commit that took effect. */
  static volatile Runnable afterCommit = () -> {};

  private static final AtomicInteger refusing = new AtomicInteger();

  static {
    try {
      DriverManager.registerDriver(new FaultyDriver());
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  static void reset() {
    LOST_ANSWERS.set(0);
    LOST_REQUESTS.set(0);
    REFUSED_AFTERWARDS.set(0);
    afterCommit = () -> {};
    refusing.set(0);
  }

  @Override
  public @Nullable Connection connect(String url, Properties info) throws SQLException {
    if (!acceptsURL(url)) {
      return null;
    }
    refuseWhenDown();
    Connection real = DriverManager.getConnection("jdbc:" + url.substring(PREFIX.length()), info);
    return (Connection)
        Proxy.newProxyInstance(
            FaultyDriver.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("prepareStatement")) {
                refuseWhenDown();
              }
              if (method.getName().equals("commit")) {
                commit(real);
                return null;
              }
              try {
                return method.invoke(real, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private static void commit(Connection real) throws SQLException {
    if (take(LOST_REQUESTS)) {
      refusing.set(REFUSED_AFTERWARDS.get());
      throw new SQLException("connection reset before the commit", "08006");
    }
    real.commit();
    afterCommit.run();
    if (take(LOST_ANSWERS)) {
      refusing.set(REFUSED_AFTERWARDS.get());
      throw new SQLException("connection reset after the commit", "08006");
    }
  }

  private static void refuseWhenDown() throws SQLException {
    if (take(refusing)) {
      throw new SQLException("connection refused", "08001");
    }
  }

  private static boolean take(AtomicInteger left) {
    return left.getAndUpdate(n -> Math.max(0, n - 1)) > 0;
  }

  @Override
  public boolean acceptsURL(String url) {
    return url.startsWith(PREFIX);
  }

  @Override
  public DriverPropertyInfo[] getPropertyInfo(String url, Properties info) {
    return new DriverPropertyInfo[0];
  }

  @Override
  public int getMajorVersion() {
    return 1;
  }

  @Override
  public int getMinorVersion() {
    return 0;
  }

  @Override
  public boolean jdbcCompliant() {
    return false;
  }

  @Override
  public Logger getParentLogger() throws SQLFeatureNotSupportedException {
    throw new SQLFeatureNotSupportedException();
  }
}
