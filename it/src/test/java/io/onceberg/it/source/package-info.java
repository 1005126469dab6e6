/** Reading from Kafka and planning, against a real broker. */
@NullMarked
package io.onceberg.it.source;

import org.jspecify.annotations.NullMarked;
