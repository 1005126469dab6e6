/**
 * From a real database through Debezium and Kafka to tables, compared with what the database says.
 */
@NullMarked
package io.onceberg.it.real;

import org.jspecify.annotations.NullMarked;
