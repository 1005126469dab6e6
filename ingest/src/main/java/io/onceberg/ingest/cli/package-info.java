/** The command line. */
@NullMarked
package io.onceberg.ingest.cli;

import org.jspecify.annotations.NullMarked;
