/** Tests of the tables, the ledger and the one commit on real catalogs. */
@NullMarked
package io.onceberg.keystore;

import org.jspecify.annotations.NullMarked;
