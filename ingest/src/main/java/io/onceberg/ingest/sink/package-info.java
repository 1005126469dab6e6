/** One batch from plan to commit, for all targets at once. */
@NullMarked
package io.onceberg.ingest.sink;

import org.jspecify.annotations.NullMarked;
