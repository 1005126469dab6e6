package io.onceberg.it.bench.keys;

/**
 * What keys of one kind take.
 *
 * @param label for programs
 * @param filesInMemory files whose indexes fit into the limit of memory, after all were looked into
 * @param residentBytes of indexes and filters then in memory
 * @param heapBytes by which the heap grew meanwhile, after full collections
 */
record KeyFigures(
    String label,
    String title,
    KeySizes sizes,
    int filesInMemory,
    long residentBytes,
    long heapBytes) {
  boolean allInMemory() {
    return filesInMemory == sizes.files();
  }

  /** Identity and filter, bytes per key. */
  double storedPerKey() {
    return sizes.identityPerKey() + sizes.filterPerKey();
  }

  double residentPerKey() {
    return (double) residentBytes / sizes.keys();
  }

  double heapPerKey() {
    return (double) heapBytes / sizes.keys();
  }
}
