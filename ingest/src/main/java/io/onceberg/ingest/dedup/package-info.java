/** What makes a change event the same event: identities, unique within the batch, the anti-join. */
@NullMarked
package io.onceberg.ingest.dedup;

import org.jspecify.annotations.NullMarked;
