package io.onceberg.it.stack;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;

class LocalPostgresTest {
  @Test
  void logicalDecodingIsOn() throws SQLException {
    assertThat(query(SharedStack.postgres(), "show wal_level")).isEqualTo("logical");
  }

  @Test
  void committedRowsSurviveKill() throws SQLException {
    try (LocalPostgres postgres = LocalPostgres.start()) {
      try (Connection connection = postgres.connect("postgres");
          Statement statement = connection.createStatement()) {
        statement.execute("create table t as select generate_series(1, 100) as i");
      }
      postgres.kill();
      postgres.restart();
      assertThat(query(postgres, "select count(*) from t")).isEqualTo("100");
    }
  }

  private static String query(LocalPostgres postgres, String sql) throws SQLException {
    try (Connection connection = postgres.connect("postgres");
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getString(1);
    }
  }
}
