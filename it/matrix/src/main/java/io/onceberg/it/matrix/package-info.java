/** The fault matrix: marks on tests, the record of their results, the page that is made of it. */
@NullMarked
package io.onceberg.it.matrix;

import org.jspecify.annotations.NullMarked;
