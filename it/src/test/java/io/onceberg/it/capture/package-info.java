/** {@code onceberg capture} between a real database and a real broker. */
@NullMarked
package io.onceberg.it.capture;

import org.jspecify.annotations.NullMarked;
