/**
 * The whole platform that the daemon works in, one part of each kind, to be killed and started
 * again part by part: database, broker, Connect worker, object store, catalog.
 */
@NullMarked
package io.onceberg.it.platform;

import org.jspecify.annotations.NullMarked;
