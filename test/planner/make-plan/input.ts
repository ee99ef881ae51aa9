import type { Observation } from "../../../src/core/change.ts";
import type { Resource } from "../../../src/core/resource.ts";
import type { Plan } from "../../../src/core/run/plan.ts";
import { makePlan, type PlanInput } from "../../../src/planner/make-plan.ts";
import { decideAll, subjectsOf } from "../../../src/planner/subjects.ts";
import { absent, type Box, box, fakeKinds, planParts, present } from "../../support/fake-kinds.ts";

/** `live` is what exists; `observations` replaces the result of a reading. */
export function input(
  desired: readonly Resource[],
  live: readonly Box[],
  { observations, ...more }: Partial<PlanInput> & { readonly observations?: Observations } = {},
): PlanInput {
  const known: Observations = new Map(live.map((spec) => [`store/Box/${box.key(spec)}`, present(spec)]));
  const declarations = {
    kinds: fakeKinds,
    desired,
    base: undefined,
    selected: () => true,
    now: new Date("2026-03-01T12:00:00Z"),
    ...more,
  };
  const subjects = subjectsOf(declarations);
  const looked = new Map(subjects.map(({ address }) => [address, known.get(address) ?? absent]));
  return {
    ...planParts,
    decided: decideAll(declarations, subjects, observations ?? looked),
    undeclared: new Map([...known].filter(([address]) => !looked.has(address))),
    ...declarations,
  };
}

export type Observations = ReadonlyMap<string, Observation>;

export function planned(of: PlanInput): Plan {
  const result = makePlan(of);
  if (result.is === "wrong") throw new Error(JSON.stringify(result.problems));
  return result.plan;
}

export const boxes = (count: number, shelf = "a") =>
  Array.from({ length: count }, (_, n) => ({ shelf, name: `b${n}`, size: 1 }));
