package io.onceberg.it.bench;

/** A small seeded generator whose numbers never change between versions of Java. */
public final class Rng {
  private static final long GAMMA = 0x9e3779b97f4a7c15L;

  private long state;

  public Rng(long seed) {
    state = seed;
  }

  public long next() {
    state += GAMMA;
    return mix(state);
  }

  /** Uniform in {@code [0, bound)}. */
  public int below(int bound) {
    return (int) Long.remainderUnsigned(next(), bound);
  }

  /** A bijection of 64 bits that scatters them. */
  public static long mix(long bits) {
    long z = (bits ^ (bits >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }
}
