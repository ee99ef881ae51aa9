import type { Gap, Prepared } from "./case.ts";
import type { Sample } from "./sample.ts";

/** What the sides of a case measured, and which of them failed. */
export interface Taken {
  readonly samples: ReadonlyMap<string, readonly Sample[]>;
  readonly failures: readonly Gap[];
}

/**
 * Lets the sides take turns: one run of each, then the next round. A side that fails is not run again, and neither are
 * its figures kept; the others go on.
 */
export async function takeTurns(
  { sides, rounds }: Pick<Prepared, "sides" | "rounds">,
  progress: (side: string, round: number) => void,
): Promise<Taken> {
  const samples = new Map(sides.map(({ name }): [string, Sample[]] => [name, []]));
  const failures: Gap[] = [];
  const most = Math.max(0, ...sides.map((side) => side.rounds ?? rounds));
  for (let round = 1; round <= most; round++) {
    for (const side of sides) {
      if (round > (side.rounds ?? rounds) || failures.some(({ what }) => what === side.name)) continue;
      progress(side.name, round);
      try {
        samples.get(side.name)?.push(await side.run());
      } catch (error) {
        failures.push({ what: side.name, why: error instanceof Error ? error.message : String(error) });
        samples.set(side.name, []);
      }
    }
  }
  return { samples, failures };
}
