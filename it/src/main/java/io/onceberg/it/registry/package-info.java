/** A schema registry for tests and benchmarks. */
@NullMarked
package io.onceberg.it.registry;

import org.jspecify.annotations.NullMarked;
