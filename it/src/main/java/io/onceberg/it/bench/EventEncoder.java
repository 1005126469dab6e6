package io.onceberg.it.bench;

/** Writes events as a connector would. Not shared between threads. */
interface EventEncoder {
  byte[] key(ChangeEvent event);

  byte[] value(ChangeEvent event);
}
