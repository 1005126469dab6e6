package io.onceberg.it.bench.keys;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The heap of a process that a peer runs in. */
record PeerHeap(long megabytes) {
  private static final Pattern SIZE = Pattern.compile("([1-9][0-9]{0,5})([mg])");
  private static final long MOST_BY_DEFAULT = 8 << 10;

  PeerHeap {
    if (megabytes < 1) {
      throw new IllegalArgumentException("a heap of %d MB".formatted(megabytes));
    }
  }

  /** Reads a size as the JVM's {@code -Xmx} has it: 4g or 800m. */
  static PeerHeap of(String size) {
    Matcher matcher = SIZE.matcher(size.toLowerCase(Locale.ROOT));
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "--peer-heap is a size such as 4g or 800m, not '%s'".formatted(size));
    }
    long number = Long.parseLong(matcher.group(1));
    return new PeerHeap(matcher.group(2).equals("g") ? number << 10 : number);
  }

  /** Half of the memory that this machine or container has, since ours and a broker run beside. */
  static PeerHeap ofMachine() {
    OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    return new PeerHeap(Math.min(MOST_BY_DEFAULT, (system.getTotalMemorySize() >> 20) / 2));
  }
}
