/** The engine over a real broker and real tables, one batch at a time. */
@NullMarked
package io.onceberg.it.engine;

import org.jspecify.annotations.NullMarked;
