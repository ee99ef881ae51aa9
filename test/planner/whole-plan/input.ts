import type { ObjectEvent, Observation } from "../../../src/core/change.ts";
import type { Kind } from "../../../src/core/kind.ts";
import type { Resource } from "../../../src/core/resource.ts";
import { makePlan, type PlanInput } from "../../../src/planner/make-plan.ts";
import { type Decided, decideAll, subjectsOf } from "../../../src/planner/subjects.ts";
import { absent, type Box, box, fakeKinds, planParts } from "../../support/fake-kinds.ts";

/** A box whose size cannot be read back, and whose kind states the effect of a change of its label. */
const chest: Kind<Box> = {
  ...box,
  normalize: ({ size: _size, ...spec }) => ({ ...spec, made: "of wood" }),
  risk: (change) =>
    change.action === "update" ? ["narrows-access"] : change.action === "create" ? [] : ["irreversible"],
};
const kinds: ReadonlyMap<string, Kind> = new Map<string, Kind>([...fakeKinds, ["Chest", { ...chest, kind: "Chest" }]]);

export function input(
  desired: readonly Resource[],
  live: Readonly<Record<string, Observation>>,
  {
    events = {},
    ...part
  }: Partial<PlanInput> & { readonly events?: Readonly<Record<string, readonly ObjectEvent[]>> } = {},
): PlanInput {
  const declarations = { kinds, desired, base: undefined, selected: () => true, now: new Date(0), ...part };
  const subjects = subjectsOf(declarations);
  const name = (address: string) => address.slice(address.lastIndexOf(":") + 1);
  const observations = new Map(subjects.map(({ address }) => [address, live[name(address)] ?? absent]));
  return {
    ...planParts,
    decided: decideAll(declarations, subjects, observations).map((one): Decided => {
      const own = events[name(one.address)];
      return own === undefined ? one : { ...one, events: own };
    }),
    undeclared: new Map(),
    ...declarations,
  };
}

export function planOf(of: PlanInput) {
  const made = makePlan(of);
  if (made.is === "wrong") throw new Error(JSON.stringify(made.problems));
  return made.plan;
}

export const point = (line: number) => ({ file: "boxes.yaml", line, column: 1 });
