package io.onceberg.ingest.dedup;

/** What the identity rule says of a change. */
sealed interface Identified permits Identity, NoIdentity {}
