/** The rules that hold the parts apart. */
@NullMarked
package io.onceberg.it.rules;

import org.jspecify.annotations.NullMarked;
