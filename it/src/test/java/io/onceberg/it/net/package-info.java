/** The proxies that disturb links, on real sockets. */
@NullMarked
package io.onceberg.it.net;

import org.jspecify.annotations.NullMarked;
