/** Random records, sound and damaged, and what must become of them. */
@NullMarked
package io.onceberg.it.fuzz;

import org.jspecify.annotations.NullMarked;
