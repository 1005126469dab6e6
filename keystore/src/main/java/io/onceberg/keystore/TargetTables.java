package io.onceberg.keystore;

import org.apache.iceberg.Table;

/**
 * The three Iceberg tables of one target as loaded from the catalog; they are refreshed, read and
 * committed together.
 */
record TargetTables(TargetName name, Table rows, Table keys, Table quarantine) {}
