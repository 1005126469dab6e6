/** Reports, counters and logs for the people who run the daemon. */
@NullMarked
package io.onceberg.ingest.ops;

import org.jspecify.annotations.NullMarked;
