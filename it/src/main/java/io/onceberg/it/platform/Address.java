package io.onceberg.it.platform;

import java.net.URI;

/** Where a service listens. */
public record Address(String host, int port) {
  public String hostAndPort() {
    return host + ":" + port;
  }

  public URI http(String path) {
    return URI.create("http://" + hostAndPort() + path);
  }
}
