import { expect, test } from "vitest";
import type { Kind } from "../../src/core/kind.ts";
import type { Problem } from "../../src/core/problem.ts";
import type { Plan } from "../../src/core/run/plan.ts";
import { makePlan } from "../../src/planner/make-plan.ts";
import { agree } from "../../src/planner/saved/agreement.ts";
import { decideAll, subjectsOf } from "../../src/planner/subjects.ts";
import { absent, box, declare, fakeKinds, planParts } from "../support/fake-kinds.ts";

/** A plan that puts boxes on two shelves, as a kind compiles it. */
function planWith(kind: Kind): Plan {
  const desired = [declare({ shelf: "a", name: "x" }), declare({ shelf: "b", name: "y" })];
  const kinds = new Map<string, Kind>([...fakeKinds, ["Box", kind]]);
  const now = new Date("2026-03-01T12:00:00Z");
  const declarations = { kinds, desired, base: undefined, selected: () => true, now };
  const subjects = subjectsOf(declarations);
  const result = makePlan({
    ...declarations,
    ...planParts,
    decided: decideAll(declarations, subjects, new Map(subjects.map(({ address }) => [address, absent]))),
    undeclared: new Map(),
  });
  if (result.is === "wrong") throw new Error(JSON.stringify(result.problems));
  return result.plan;
}

const looked = new Set(["store/Box/a:x", "store/Box/b:y"]);
const compare = (saved: Plan, again: Plan, held: ReadonlyMap<string, Problem> = new Map()) =>
  agree({ saved, again, looked, held, done: new Set(), folder: "/workspace" });

/** A kind that compiles different calls each time. */
function fickle(): Kind {
  let asked = 0;
  const compile: typeof box.compile = (changes, scope) =>
    (box.compile?.(changes, scope) ?? []).map((call) => ({ ...call, args: { ...call.args, boxes: [`${++asked}`] } }));
  return { ...box, compile };
}

test("the same plan made again agrees with the saved one, and its own calls are sent", () => {
  expect(compare(planWith(box), planWith(box))).toEqual({ is: "agreed", plan: planWith(box), withheld: new Map() });
});

test("a kind that compiles differently the second time is refused, naming each call", () => {
  const kind = fickle();
  const agreed = compare(planWith(kind), planWith(kind));
  expect(agreed).toMatchObject({ is: "wrong", problems: new Array(4).fill({ code: "SP2005", operation: "arrange" }) });
  expect(agreed.is === "wrong" && agreed.problems.map(({ message }) => message)).toEqual([
    "store.arrange for store/Box/a:x: this call is in the plan, but does not follow from the manifests.",
    "store.arrange for store/Box/b:y: this call is in the plan, but does not follow from the manifests.",
    "store.arrange for store/Box/a:x: this call follows from the manifests, but is not in the plan.",
    "store.arrange for store/Box/b:y: this call follows from the manifests, but is not in the plan.",
  ]);
});

test("a held-back resource is withheld whatever its call says, and triggers with it", () => {
  const saved = planWith(box);
  const problem: Problem = { code: "SP4003", message: "It has changed." };
  const trigger = { service: "store", operation: "start", args: {}, carries: [], phase: 1, lane: "store start" };
  const tampered: Plan = {
    ...saved,
    calls: saved.calls.map((call) => (call.carries.includes("store/Box/a:x") ? { ...call, id: 2, args: {} } : call)),
    triggers: [{ id: 1, ...trigger }],
  };
  const isOther = ({ carries }: { readonly carries: readonly string[] }) => !carries.includes("store/Box/a:x");
  const again: Plan = {
    ...saved,
    calls: saved.calls.filter(isOther),
    changes: saved.changes.filter(({ address }) => address !== "store/Box/a:x"),
  };
  const agreed = compare(tampered, again, new Map([["store/Box/a:x", problem]]));
  if (agreed.is === "wrong") throw new Error(JSON.stringify(agreed.problems));
  const sent = [...agreed.plan.calls, ...(agreed.plan.triggers ?? [])].filter(({ id }) => !agreed.withheld.has(id));
  expect(sent.map(({ carries }) => carries)).toEqual([["store/Box/b:y"]]);
});
