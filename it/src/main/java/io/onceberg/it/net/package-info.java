/** A network that can be disturbed: proxies on loopback whose links fail on demand. */
@NullMarked
package io.onceberg.it.net;

import org.jspecify.annotations.NullMarked;
