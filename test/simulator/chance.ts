/** A source of random draws that depend only on a seed. */
export interface Chance {
  /** Draws a number from 0 up to 1. */
  next(): number;
  /** Draws an integer from 0 up to `limit`. */
  below(limit: number): number;
  hit(probability: number): boolean;
  /** Draws one entry of a non-empty list. */
  pick<Value>(list: readonly Value[]): Value;
  /** Draws each entry of a list with a probability, and keeps the list's order. */
  some<Value>(list: readonly Value[], probability: number): readonly Value[];
  /** Returns an independent source: draws from it do not affect later draws from this one. */
  fork(): Chance;
}

/** Creates a mulberry32 generator, whose draws are the same on every machine and in every version. */
export function chanceOf(seed: number): Chance {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    next,
    below,
    hit: (probability) => next() < probability,
    pick(list) {
      const [value] = list.slice(below(list.length));
      if (value === undefined) throw new Error("Nothing to pick from.");
      return value;
    },
    some: (list, probability) => list.filter(() => next() < probability),
    fork: () => chanceOf(below(2 ** 32)),
  };
}
