/** The one commit on a catalog whose database is a server. */
@NullMarked
package io.onceberg.it.commit;

import org.jspecify.annotations.NullMarked;
