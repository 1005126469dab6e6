/** Benchmarks: generated change events, our daemon and its peers over the same topics. */
@NullMarked
package io.onceberg.it.bench;

import org.jspecify.annotations.NullMarked;
