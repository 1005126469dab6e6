package io.onceberg.it.net;

import io.onceberg.it.stack.Deadline;
import io.onceberg.it.stack.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A TCP proxy on loopback before one service: a link that can be cut, slowed down, left half open,
 * or made to lose answers. It takes a bounded number of connections, two threads each; more are
 * reset.
 */
public final class FaultProxy implements AutoCloseable {
  private static final int MOST_CONNECTIONS = 256;
  private static final int BACKLOG = 128;
  private static final int CONNECT_MILLIS = 2_000;
  private static final Duration REBIND = Duration.ofSeconds(10);

  /** Trouble while it lasts. */
  record Fault(Trouble trouble, Duration delay, AtomicInteger hits) {}

  private final String name;
  private final InetSocketAddress upstream;
  private final int port = Ports.free();
  private final Set<ProxiedConnection> connections = ConcurrentHashMap.newKeySet();
  private final ExecutorService pumps;
  private final Object gate = new Object();
  private volatile @Nullable Fault fault;
  private volatile boolean closed;
  private @Nullable ServerSocket listener;

  /**
   * Listens on a free port of loopback.
   *
   * @param name of the link, for its threads
   * @param upstream the port of loopback that it leads to; nobody need listen there yet
   */
  public FaultProxy(String name, int upstream) {
    this.name = name;
    this.upstream = new InetSocketAddress(InetAddress.getLoopbackAddress(), upstream);
    this.pumps =
        new ThreadPoolExecutor(
            0,
            2 * MOST_CONNECTIONS,
            10,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            task -> thread(name, task));
    listen();
    thread("accept " + name, this::acceptAll).start();
  }

  private static Thread thread(String name, Runnable task) {
    Thread thread = new Thread(null, task, name, 256 * 1024);
    thread.setDaemon(true);
    return thread;
  }

  /** The port of loopback at which it is reached; the same through all trouble. */
  public int port() {
    return port;
  }

  /**
   * Begins a trouble, which replaces the one there was.
   *
   * @param delay of each piece of data, where the trouble is {@link Trouble#DELAY}
   */
  public void begin(Trouble trouble, Duration delay) {
    Fault begun = new Fault(trouble, delay, new AtomicInteger());
    fault = begun;
    if (trouble == Trouble.CUT) {
      stopListening();
      connections.forEach(connection -> connection.cut(begun));
    }
  }

  /**
   * Ends the trouble.
   *
   * @return how often it was felt: connections that were reset, pieces of data that came late or
   *     not at all
   */
  public int end() {
    Fault ended = fault;
    fault = null;
    synchronized (gate) {
      gate.notifyAll();
    }
    if (ended == null) {
      return 0;
    }
    connections.forEach(ProxiedConnection::resetIfBroken);
    if (ended.trouble() == Trouble.CUT) {
      listen();
    }
    return ended.hits().get();
  }

  @Nullable Fault fault() {
    return fault;
  }

  /** Waits so long, or until the trouble has ended. */
  void awaitEnd(Fault during) throws InterruptedException {
    long end = System.nanoTime() + during.delay().toNanos();
    synchronized (gate) {
      long left = end - System.nanoTime();
      while (during.equals(fault) && left > 0) {
        TimeUnit.NANOSECONDS.timedWait(gate, left);
        left = end - System.nanoTime();
      }
    }
  }

  void forget(ProxiedConnection connection) {
    connections.remove(connection);
  }

  // ---- Listening

  private void listen() {
    Deadline deadline = Deadline.in(REBIND);
    while (!tryListen()) {
      if (!deadline.pause()) {
        throw new UncheckedIOException(
            new IOException("the port %d of %s is taken".formatted(port, name)));
      }
    }
  }

  private boolean tryListen() {
    try {
      ServerSocket made = new ServerSocket();
      made.setReuseAddress(true);
      made.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), BACKLOG);
      synchronized (gate) {
        listener = made;
        gate.notifyAll();
      }
      return true;
    } catch (IOException e) {
      return false; // the former listener is not quite gone
    }
  }

  private void stopListening() {
    ServerSocket open;
    synchronized (gate) {
      open = listener;
      listener = null;
    }
    if (open != null) {
      close(open);
    }
  }

  private @Nullable ServerSocket awaitListener() throws InterruptedException {
    synchronized (gate) {
      while (listener == null && !closed) {
        gate.wait();
      }
      return listener;
    }
  }

  private void acceptAll() {
    try {
      while (!closed) {
        ServerSocket open = awaitListener();
        if (open != null) {
          accept(open);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void accept(ServerSocket open) {
    try {
      Socket client = open.accept();
      try {
        pumps.execute(() -> connect(client));
      } catch (RejectedExecutionException e) {
        ProxiedConnection.reset(client); // too many, or the proxy is closed
      }
    } catch (IOException e) {
      synchronized (gate) {
        if (listener == open && open.isClosed()) {
          listener = null;
        }
      }
    }
  }

  private void connect(Socket client) {
    Socket server = new Socket();
    try {
      server.connect(upstream, CONNECT_MILLIS);
      client.setTcpNoDelay(true);
      server.setTcpNoDelay(true);
      ProxiedConnection connection = new ProxiedConnection(this, client, server);
      connections.add(connection);
      Fault now = fault;
      if (closed || (now != null && now.trouble() == Trouble.CUT)) {
        connection.reset();
      }
      pumps.execute(connection::pumpAnswers);
      connection.pumpRequests();
    } catch (IOException | RejectedExecutionException e) {
      ProxiedConnection.reset(client); // nobody is there
      ProxiedConnection.reset(server);
    }
  }

  private static void close(ServerSocket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Resets all connections and ends the threads. */
  @Override
  public void close() {
    closed = true;
    fault = null;
    stopListening();
    synchronized (gate) {
      gate.notifyAll();
    }
    connections.forEach(ProxiedConnection::reset);
    pumps.shutdownNow();
  }
}
