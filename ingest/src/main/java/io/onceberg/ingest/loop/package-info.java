/** The daemon's loop and its states. */
@NullMarked
package io.onceberg.ingest.loop;

import org.jspecify.annotations.NullMarked;
