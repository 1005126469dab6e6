package io.onceberg.it.platform;

import java.util.Locale;

/** A way from a client to a service, which can be disturbed by itself. */
public enum Link {
  DAEMON_KAFKA(Client.DAEMON, Service.KAFKA),
  DAEMON_CATALOG(Client.DAEMON, Service.CATALOG),
  DAEMON_OBJECT_STORE(Client.DAEMON, Service.OBJECT_STORE),
  CONNECTOR_KAFKA(Client.CONNECTOR, Service.KAFKA),
  CONNECTOR_POSTGRES(Client.CONNECTOR, Service.POSTGRES);

  private final Client client;
  private final Service service;

  Link(Client client, Service service) {
    this.client = client;
    this.service = service;
  }

  Client client() {
    return client;
  }

  Service service() {
    return service;
  }

  /** As {@code daemon-object-store}. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
