/** The recovery command line. */
@NullMarked
package io.onceberg.replay;

import org.jspecify.annotations.NullMarked;
