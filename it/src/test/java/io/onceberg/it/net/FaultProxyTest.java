package io.onceberg.it.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class FaultProxyTest {
  private static final int ANSWER_MILLIS = 5_000;
  private static final int SILENCE_MILLIS = 100;
  private static final Duration NONE = Duration.ZERO;

  private final Echo echo = new Echo();
  private final FaultProxy proxy = new FaultProxy("test", echo.port());

  /** A server that sends back each byte that it gets, plus one. */
  private static final class Echo {
    private final ServerSocket listener;
    final List<Integer> got = new CopyOnWriteArrayList<>();

    Echo() {
      try {
        listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        start(this::accept);
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    }

    private static void start(Runnable task) {
      Thread thread = new Thread(task, "echo");
      thread.setDaemon(true);
      thread.start();
    }

    int port() {
      return listener.getLocalPort();
    }

    private void accept() {
      try {
        while (true) {
          Socket taken = listener.accept();
          start(() -> serve(taken));
        }
      } catch (IOException e) {
        got.add(-1); // the test is over
      }
    }

    private void serve(Socket socket) {
      try (socket) {
        for (int b = socket.getInputStream().read(); b >= 0; b = socket.getInputStream().read()) {
          got.add(b);
          socket.getOutputStream().write(b + 1);
        }
      } catch (IOException e) {
        got.add(-2); // reset by the other side
      }
    }
  }

  @AfterEach
  void end() throws IOException {
    proxy.close();
    echo.listener.close();
  }

  private Socket connect() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), proxy.port());
    socket.setSoTimeout(ANSWER_MILLIS);
    return socket;
  }

  private static int ask(Socket socket, int question) throws IOException {
    socket.getOutputStream().write(question);
    return socket.getInputStream().read();
  }

  @Test
  void passesOnWhatIsSent() throws IOException {
    try (Socket one = connect();
        Socket other = connect()) {
      assertThat(ask(one, 1)).isEqualTo(2);
      assertThat(ask(other, 5)).isEqualTo(6);
      one.shutdownOutput();
      assertThat(one.getInputStream().read()).as("the end is passed on, too").isEqualTo(-1);
    }
    assertThat(proxy.end()).isZero();
  }

  @Test
  void cutResetsAndRefusesUntilItEnds() throws IOException {
    try (Socket open = connect()) {
      assertThat(ask(open, 1)).isEqualTo(2);
      proxy.begin(Trouble.CUT, NONE);
      assertThatThrownBy(() -> ask(open, 2)).isInstanceOf(SocketException.class);
      assertThatThrownBy(this::connect).isInstanceOf(ConnectException.class);
    }
    assertThat(proxy.end()).isEqualTo(1);
    try (Socket again = connect()) {
      assertThat(ask(again, 3)).isEqualTo(4);
    }
    assertThat(echo.got).doesNotContain(2);
  }

  @Test
  void delayIsWaitedForAndEndsWithTheTrouble() throws IOException {
    try (Socket open = connect()) {
      proxy.begin(Trouble.DELAY, Duration.ofHours(1));
      open.getOutputStream().write(1);
      open.setSoTimeout(SILENCE_MILLIS);
      assertThatThrownBy(() -> open.getInputStream().read())
          .isInstanceOf(SocketTimeoutException.class);
      assertThat(proxy.end()).isEqualTo(1);
      open.setSoTimeout(ANSWER_MILLIS);
      assertThat(open.getInputStream().read()).isEqualTo(2);
    }
  }

  @Test
  void halfOpenSwallowsAndForgetsWhoLostSomething() throws IOException {
    try (Socket loser = connect();
        Socket silent = connect()) {
      assertThat(ask(loser, 1)).isEqualTo(2);
      assertThat(ask(silent, 1)).isEqualTo(2);
      proxy.begin(Trouble.HALF_OPEN, NONE);
      loser.setSoTimeout(SILENCE_MILLIS);
      assertThatThrownBy(() -> ask(loser, 7)).isInstanceOf(SocketTimeoutException.class);
      try (Socket taken = connect()) {
        assertThat(taken.isConnected()).isTrue();
      }
      assertThat(proxy.end()).isEqualTo(1);
      assertThatThrownBy(() -> ask(loser, 8)).isInstanceOf(SocketException.class);
      assertThat(ask(silent, 9)).isEqualTo(10);
      assertThat(echo.got).doesNotContain(7, 8);
    }
  }

  @Test
  void silentAnswerLetsTheRequestArrive() throws IOException {
    try (Socket open = connect()) {
      proxy.begin(Trouble.SILENT_ANSWER, NONE);
      open.setSoTimeout(SILENCE_MILLIS);
      assertThatThrownBy(() -> ask(open, 7)).isInstanceOf(SocketTimeoutException.class);
      await().until(() -> echo.got.contains(7));
      assertThat(proxy.end()).isEqualTo(1);
      assertThatThrownBy(() -> ask(open, 8)).isInstanceOf(SocketException.class);
    }
  }

  @Test
  void lostAnswerResetsInItsPlace() throws IOException {
    try (Socket open = connect()) {
      proxy.begin(Trouble.LOST_ANSWER, NONE);
      assertThatThrownBy(() -> ask(open, 7)).isInstanceOf(SocketException.class);
      assertThat(echo.got).contains(7);
      assertThat(proxy.end()).isEqualTo(1);
    }
  }

  @Test
  void resetsWhenNobodyIsThere() throws IOException {
    echo.listener.close();
    try (Socket open = connect()) {
      assertThatThrownBy(() -> ask(open, 1)).isInstanceOf(SocketException.class);
    }
  }
}
