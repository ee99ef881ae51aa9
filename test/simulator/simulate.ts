import { chanceOf } from "./chance.ts";
import { calm } from "./faults.ts";
import {
  appliedLaw,
  type Breach,
  endsLaw,
  laws,
  onceLaw,
  reportLaw,
  tokensLaw,
  unsentLaw,
  untouchedLaw,
} from "./laws.ts";
import { machineOf } from "./machine.ts";
import type { Pool } from "./pool.ts";
import { type Ending, runProgram, type Stage } from "./program.ts";
import { drawSituation, type Situation } from "./situation.ts";
import { acts } from "./stranger.ts";
import { virtualTime } from "./time.ts";
import { universeOf } from "./universe.ts";

/** The results of one seed. */
export interface Simulation {
  readonly seed: number;
  readonly situation: Situation;
  readonly breaches: readonly Breach[];
  readonly trace: readonly string[];
  /** Changes that were applied in a storm, as `kind action`. */
  readonly seen: ReadonlySet<string>;
  readonly endings: readonly Ending[];
  /** The faults that occurred, one entry per occurrence. */
  readonly faults: readonly string[];
}

/** The most applies in calm weather: at most two with something to write, then one without. */
const calmRuns = 3;

/** Runs one seed: draws its situation, applies, and checks the laws. */
export async function simulate(pool: Pool, seed: number): Promise<Simulation> {
  const chance = chanceOf(seed);
  const situation = drawSituation(pool, chance);
  const universe = universeOf(situation.world);
  const machine = machineOf(situation.vault);
  const stage: Stage = { universe, time: virtualTime(), chance, machine, acts };
  const breaches: Breach[] = [];
  const endings: Ending[] = [];
  let { texts } = situation;

  async function run(weather: Situation["storms"][number], name: string): Promise<Ending> {
    universe.trace.push(`--- ${name}: ${describe(weather)}`);
    const weathers = weather.run.includes("second writer") ? [weather, { ...weather, run: [] }] : [weather];
    const together = await Promise.all(
      weathers.map((one, index) => runProgram(stage, texts, one, `${name}${index === 0 ? "" : "'"}`)),
    );
    together.forEach((ending, index) => {
      const own = `${name}${index === 0 ? "" : "'"}`;
      universe.trace.push(`${own} ${told(ending)}`);
      breaches.push(...endsLaw(ending), ...unsentLaw(universe.arrivals, own, ending));
      breaches.push(...onceLaw(universe.arrivals, own, ending.is === "reported" ? ending.plan : undefined));
      if (weathers.length === 1) breaches.push(...reportLaw(universe, own, ending, weather.requests.includes("stale")));
      endings.push(ending);
      if (isComplete(ending)) texts = { ...texts, base: texts.now };
    });
    const [first = { is: "killed" }] = together;
    return first;
  }

  let last: Ending | undefined;
  for (const [index, weather] of situation.storms.entries()) {
    universe.disturbed.clear();
    const ending = await run(weather, `storm ${index + 1}`);
    // A second writer can undo what was really applied, and a stale answer can mislead the read after a call.
    last = weather.run.includes("second writer") || weather.requests.includes("stale") ? undefined : ending;
    breaches.push(...untouchedLaw(universe, situation));
  }
  for (let count = 1; ; count++) {
    const before = universe.arrivals.length;
    const ending = await run(calm, `calm ${count}`);
    if (last !== undefined) breaches.push(...appliedLaw(last, ending, universe.disturbed));
    universe.disturbed.clear();
    last = ending;
    const isDone = ending.is === "reported" && universe.arrivals.length === before && isSettled(ending);
    if (isDone) break;
    if (count < calmRuns) continue;
    breaches.push({ law: "converges", what: `the third apply in calm weather: ${told(ending)}` });
    break;
  }
  breaches.push(...untouchedLaw(universe, situation), ...tokensLaw(universe, machine, situation));
  return { seed, situation, breaches, trace: universe.trace, seen: seenIn(endings), endings, faults: universe.faults };
}

function isComplete(ending: Ending): boolean {
  return (
    ending.is === "reported" &&
    ending.plan.unknown.length === 0 &&
    ending.report.outcomes.every(({ result }) => result === "applied")
  );
}

/** Whether an apply would have nothing to do. */
function isSettled({ plan }: Extract<Ending, { readonly is: "reported" }>): boolean {
  return plan.unknown.length === 0 && plan.changes.every(({ action }) => action === "check");
}

function seenIn(endings: readonly Ending[]): ReadonlySet<string> {
  return new Set(
    endings.flatMap((ending) =>
      ending.is === "reported" ? ending.plan.changes.map(({ kind, action }) => `${kind} ${action}`) : [],
    ),
  );
}

function told(ending: Ending): string {
  switch (ending.is) {
    case "killed":
      return "was killed";
    case "refused":
      return `ended with ${ending.error}`;
    case "reported": {
      const { plan, report } = ending;
      const outcomes = report.outcomes.map(
        ({ address, result, problem }) => `${result} ${address} ${problem?.code ?? ""} ${problem?.message ?? ""}`,
      );
      const unknown = plan.unknown.map(({ address, problem }) => `unknown ${address}: ${problem.message}`);
      const open = plan.changes.map(({ address, action }) => `${action} ${address}`);
      return ["reported", ...open, ...unknown, ...outcomes].join("\n    ");
    }
  }
}

function describe({ share, requests, run, step }: Situation["storms"][number]): string {
  return share === 0
    ? "calm"
    : `${share} of requests: ${requests.join(", ") || "-"}; run: ${run.join(", ") || "-"} at ${step}`;
}

/** Returns what is needed to reproduce a broken law. */
export function explained({ seed, situation, breaches, trace }: Simulation): string {
  return [
    `Seed ${seed}. Again: SETPOINT_SEED=${seed} npx vitest run test/simulator`,
    ...breaches.map(({ law, what }) => `BROKEN: ${laws[law]} ${what}`),
    "Manifests:",
    ...situation.told.map((line) => `  ${line}`),
    "Trace:",
    ...trace.map((line) => `  ${line}`),
  ].join("\n");
}
