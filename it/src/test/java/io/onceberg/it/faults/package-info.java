/** Faults made on purpose: crashes, outages, wrong input, tables and topics that others change. */
@NullMarked
package io.onceberg.it.faults;

import org.jspecify.annotations.NullMarked;
