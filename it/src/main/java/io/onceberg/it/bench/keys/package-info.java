/** The benchmark of the keys table: our lookup and batch against joins, Hudi and Delta. */
@NullMarked
package io.onceberg.it.bench.keys;

import org.jspecify.annotations.NullMarked;
