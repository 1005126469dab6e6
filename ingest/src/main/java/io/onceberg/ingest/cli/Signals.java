package io.onceberg.ingest.cli;

import java.lang.reflect.Proxy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hears SIGTERM and SIGINT, so that the program ends by itself and in order; a shutdown hook would
 * run beside Spark's own, which stops the job under our feet. {@code sun.misc.Signal} is reached by
 * reflection, since the compiler warns of it and the warning cannot be turned off.
 */
final class Signals {
  private static final Logger LOG = LoggerFactory.getLogger(Signals.class);

  private Signals() {}

  /** Runs this, in a thread of the JVM's, each time the program is asked to end. */
  static void onTermination(Runnable asked) {
    for (String name : new String[] {"TERM", "INT"}) {
      try {
        Class<?> signal = Class.forName("sun.misc.Signal");
        Class<?> handler = Class.forName("sun.misc.SignalHandler");
        Object proxy =
            Proxy.newProxyInstance(
                Signals.class.getClassLoader(),
                new Class<?>[] {handler},
                (self, method, arguments) -> {
                  if (method.getName().equals("handle")) {
                    asked.run();
                  }
                  return null;
                });
        signal
            .getMethod("handle", signal, handler)
            .invoke(null, signal.getConstructor(String.class).newInstance(name), proxy);
      } catch (ReflectiveOperationException e) {
        LOG.warn(
            "SIG{} ends the program at once; the next start settles what was in work", name, e);
      }
    }
  }
}
