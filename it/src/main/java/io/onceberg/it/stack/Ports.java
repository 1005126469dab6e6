package io.onceberg.it.stack;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Free ports on loopback. None of those that the operating system gives to outgoing connections,
 * which begin at 32768 on Linux and at 49152 elsewhere: a server that is started again after a kill
 * would find its port taken by any client, even by one that tries to reach it.
 */
public final class Ports {
  public static final String LOOPBACK = "127.0.0.1";
  private static final int FIRST = 15_000;
  private static final int LAST = 32_000;
  private static final int ATTEMPTS = 1_000;

  private Ports() {}

  /** A port that nobody has now. */
  public static int free() {
    for (int i = 0; i < ATTEMPTS; i++) {
      int port = ThreadLocalRandom.current().nextInt(FIRST, LAST);
      if (isFree(port)) {
        return port;
      }
    }
    throw new StackException("no free port from %d to %d".formatted(FIRST, LAST));
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return socket.isBound();
    } catch (IOException e) {
      return false; // somebody has it
    }
  }
}
