/** The settings: one typed definition of each, read from a properties file. */
@NullMarked
package io.onceberg.ingest.config;

import org.jspecify.annotations.NullMarked;
