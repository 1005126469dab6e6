/** Bytes to change events: converters, the fast paths for JSON and Avro, types. */
@NullMarked
package io.onceberg.ingest.decode;

import org.jspecify.annotations.NullMarked;
