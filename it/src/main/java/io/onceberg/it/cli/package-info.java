/** The command line of the source tree: the program's own commands, the demo and the benchmarks. */
@NullMarked
package io.onceberg.it.cli;

import org.jspecify.annotations.NullMarked;
