/**
 * A real PostgreSQL and a real Kafka broker as child processes on loopback, for the demo and the
 * tests. Nothing started here outlives the program for long: a shutdown hook ends every child, and
 * the next start ends those that a crash left behind.
 */
@NullMarked
package io.onceberg.it.stack;

import org.jspecify.annotations.NullMarked;
