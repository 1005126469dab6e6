/** The proof: embedded stack, demo and benchmarks. */
@NullMarked
package io.onceberg.it;

import org.jspecify.annotations.NullMarked;
