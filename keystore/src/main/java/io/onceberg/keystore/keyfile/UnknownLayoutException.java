package io.onceberg.keystore.keyfile;

/**
 * A file is laid out in a way that the search here does not know; Iceberg's own reader is to be
 * asked.
 */
public final class UnknownLayoutException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  UnknownLayoutException(String what) {
    super(what);
  }
}
