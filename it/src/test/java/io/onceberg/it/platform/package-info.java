/**
 * The whole path on the whole platform: a real Connect worker, a REST catalog, an object store, and
 * each part killed at work. The same on local processes and on containers.
 */
@NullMarked
package io.onceberg.it.platform;

import org.jspecify.annotations.NullMarked;
