package io.onceberg.keystore;

import java.util.BitSet;

/**
 * The answer of a lookup, by index into the list that was asked.
 *
 * @param stored which identities are stored
 * @param payloadHashes for {@link TargetKind#EVENTS}, the payload hash stored with each hit; else
 *     empty
 */
public record KeyHits(BitSet stored, long[] payloadHashes) {}
