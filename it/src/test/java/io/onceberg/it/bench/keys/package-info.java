@NullMarked
package io.onceberg.it.bench.keys;

import org.jspecify.annotations.NullMarked;
