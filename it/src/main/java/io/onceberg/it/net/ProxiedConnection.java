package io.onceberg.it.net;

import io.onceberg.it.net.FaultProxy.Fault;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;

/** One connection through a proxy, and what the link's trouble does to it. */
final class ProxiedConnection {
  private static final int BUFFER = 32 * 1024;

  private final FaultProxy proxy;
  private final Socket client;
  private final Socket server;
  private volatile boolean broken;

  ProxiedConnection(FaultProxy proxy, Socket client, Socket server) {
    this.proxy = proxy;
    this.client = client;
    this.server = server;
  }

  void pumpRequests() {
    pump(client, server, false);
  }

  void pumpAnswers() {
    pump(server, client, true);
  }

  private void pump(Socket from, Socket to, boolean answers) {
    byte[] buffer = new byte[BUFFER];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
        if (arrives(answers)) {
          out.write(buffer, 0, count);
        }
      }
      to.shutdownOutput();
      if (answers) {
        end();
      }
    } catch (IOException e) {
      reset(); // one side is gone, and the other is told so
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      reset();
    }
  }

  /** Whether a piece of data is passed on; in time or late. */
  private boolean arrives(boolean answer) throws InterruptedException {
    Fault fault = proxy.fault();
    if (broken) {
      return false;
    }
    if (fault == null) {
      return true;
    }
    return switch (fault.trouble()) {
      case CUT -> {
        cut(fault);
        yield false;
      }
      case DELAY -> {
        fault.hits().incrementAndGet();
        proxy.awaitEnd(fault);
        yield true;
      }
      case HALF_OPEN -> lose(fault);
      case SILENT_ANSWER -> !answer || lose(fault);
      case LOST_ANSWER -> {
        if (answer) {
          cut(fault);
        }
        yield !answer;
      }
    };
  }

  /** What follows in this connection makes no sense without what was lost. */
  private boolean lose(Fault fault) {
    broken = true;
    fault.hits().incrementAndGet();
    return false;
  }

  void cut(Fault fault) {
    if (!client.isClosed()) {
      fault.hits().incrementAndGet();
    }
    reset();
  }

  void resetIfBroken() {
    if (broken) {
      reset();
    }
  }

  void reset() {
    reset(client);
    reset(server);
    proxy.forget(this);
  }

  private void end() throws IOException {
    client.close();
    server.close();
    proxy.forget(this);
  }

  /**
   * Ends a connection so that the other side is told of a reset, not of an orderly end.
   *
   * @return false when it had ended already
   */
  static boolean reset(Socket socket) {
    try {
      socket.setSoLinger(true, 0);
      socket.close();
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
