/**
 * A REST catalog to test against. It runs beside the programs under test and knows none of them.
 */
@NullMarked
package io.onceberg.it.catalog;

import org.jspecify.annotations.NullMarked;
