/** Numbered errors and what the program does about each. */
@NullMarked
package io.onceberg.error;

import org.jspecify.annotations.NullMarked;
