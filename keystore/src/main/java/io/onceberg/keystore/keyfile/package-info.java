/**
 * Single key files, read and written as plain Parquet: indexes that stay in memory, and the search
 * for a batch's identities in one file. Knows nothing of targets and tables.
 */
@NullMarked
package io.onceberg.keystore.keyfile;

import org.jspecify.annotations.NullMarked;
