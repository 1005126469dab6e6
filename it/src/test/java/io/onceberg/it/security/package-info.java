/** Encrypted and authenticated connections, and what becomes of secrets. */
@NullMarked
package io.onceberg.it.security;

import org.jspecify.annotations.NullMarked;
