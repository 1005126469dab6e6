/** The daemon as a process, and its loop. */
@NullMarked
package io.onceberg.it.daemon;

import org.jspecify.annotations.NullMarked;
