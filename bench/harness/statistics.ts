import type { Medians } from "./case.ts";
import type { Figure, Sample } from "./sample.ts";

/** The one in the middle, or the mean of the two in the middle; undefined if there is none. */
export function median(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  return upper === undefined || lower === undefined ? undefined : (lower + upper) / 2;
}

/** The median of each figure on its own. */
export function mediansOf(samples: readonly Sample[]): Sample {
  const figures = new Set(samples.flatMap((sample) => Object.keys(sample)));
  return Object.fromEntries(
    [...figures].flatMap((figure) => {
      const values = samples.flatMap((sample) => Object.entries(sample).filter(([name]) => name === figure));
      const middle = median(values.map(([, value]) => value));
      return middle === undefined ? [] : [[figure, middle]];
    }),
  );
}

/** The medians of several sides, by name. */
export function lookUp(sides: ReadonlyMap<string, readonly Sample[]>): Medians {
  const medians = new Map([...sides].map(([name, samples]) => [name, mediansOf(samples)]));
  return (side: string, figure: Figure) => medians.get(side)?.[figure];
}

/** How often the second goes into the first. */
export function ratio(of: number | undefined, to: number | undefined): number | undefined {
  return of === undefined || to === undefined || to === 0 ? undefined : of / to;
}

/** The first without the second. */
export function minus(from: number | undefined, value: number | undefined): number | undefined {
  return from === undefined || value === undefined ? undefined : from - value;
}
