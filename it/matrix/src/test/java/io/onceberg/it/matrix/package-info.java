/** The fault matrix. */
@NullMarked
package io.onceberg.it.matrix;

import org.jspecify.annotations.NullMarked;
