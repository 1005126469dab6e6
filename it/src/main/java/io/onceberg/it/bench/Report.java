package io.onceberg.it.bench;

import java.io.PrintWriter;

/** The figures of one run. */
public interface Report {
  /** Prints them as tables for people. */
  void print(PrintWriter out);

  /** The same for programs. */
  String json();
}
