/**
 * {@code onceberg soak}: random work and random faults on the whole platform for as long as one
 * likes, and in the end the tables against what the database itself recorded.
 */
@NullMarked
package io.onceberg.it.soak;

import org.jspecify.annotations.NullMarked;
