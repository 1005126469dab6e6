package io.onceberg.it.platform;

/** Who reaches services through links that can be disturbed. */
public enum Client {
  DAEMON,
  CONNECTOR
}
