import { beyondProblem } from "../core/beyond.ts";
import { type PlannedCall, withParts } from "../core/call.ts";
import type { Problem } from "../core/problem.ts";
import { defined } from "../core/text/json.ts";
import { type StatedTrigger, withFacts } from "../core/trigger.ts";
import { argumentProblems, type Offered } from "./compile.ts";

/**
 * Returns the calls to make after a complete apply of `calls`, which close so many changes, with every fact of the run filled in except its id; none if the
 * apply changes nothing. `problems` reports arguments that could not be sent.
 */
export function planTriggers(
  stated: readonly StatedTrigger[],
  calls: readonly PlannedCall[],
  changes: number,
  { offeredBy, baseRef = "" }: { offeredBy(service: string): Offered; readonly baseRef: string | undefined },
): { readonly triggers: readonly PlannedCall[]; readonly problems: readonly Problem[] } {
  // Calls are numbered in order of phase, so the last one has the highest id.
  const final = withParts(calls).at(-1);
  if (final === undefined) return { triggers: [], problems: [] };
  const facts = {
    base: baseRef,
    changes: String(changes),
    services: [...new Set(calls.map(({ service }) => service))].sort().join(","),
  };
  const triggers = stated.map(({ service, operation, args }, index) => ({
    id: final.id + index + 1,
    service,
    operation,
    args: withFacts(args, facts),
    carries: [],
    phase: final.phase + 1,
    lane: `${service} ${operation} after the apply`,
  }));
  const problems = triggers.flatMap((call, index): readonly Problem[] => {
    const { service, operation, args } = call;
    const { table, wire } = offeredBy(service);
    const place = stated[index]?.place;
    const row = wire === "documented" ? table[operation] : undefined;
    const beyond = row && beyondProblem(operation, row, args);
    return [
      ...argumentProblems(call, table, () => place),
      ...(beyond === undefined ? [] : [{ ...beyond, service, operation, ...defined({ place }) }]),
    ];
  });
  return { triggers, problems };
}
