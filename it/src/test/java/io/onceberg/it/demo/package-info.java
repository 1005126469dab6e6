/** The demo's own judgement, tested where the daemon has no part in it. */
@NullMarked
package io.onceberg.it.demo;

import org.jspecify.annotations.NullMarked;
