/**
 * {@code onceberg demo}: the whole path on real parts, with a connector replay and a kill in
 * mid-batch, compared in the end with what the database itself recorded.
 */
@NullMarked
package io.onceberg.it.demo;

import org.jspecify.annotations.NullMarked;
