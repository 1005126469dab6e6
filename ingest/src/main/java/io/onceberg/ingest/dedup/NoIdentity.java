package io.onceberg.ingest.dedup;

import io.onceberg.error.ErrorCode;

/** A change that has no identity; the code's reaction says what becomes of it. */
record NoIdentity(ErrorCode code, String detail) implements Identified {}
