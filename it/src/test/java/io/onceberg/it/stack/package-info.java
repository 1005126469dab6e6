/** Tests of the embedded stack itself. */
@NullMarked
package io.onceberg.it.stack;

import org.jspecify.annotations.NullMarked;
