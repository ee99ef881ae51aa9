import type { Plan } from "../../src/core/run/plan.ts";
import { change, emptyPlan } from "../reports/fixture.ts";

const base: Plan = {
  ...emptyPlan,
  about: { ...emptyPlan.about, at: "2027-01-14T02:00:00.000Z" },
  base: "origin/main",
};

const lock = change({
  service: "review",
  kind: "BranchLock",
  key: "platform/core:release-2.4",
  action: "update",
  risks: ["narrows-access"],
  place: { file: "all.yaml", line: 1, column: 1 },
  fields: [
    {
      path: ["reason"],
      live: "Frozen",
      desired: "Frozen for 2.4 GA",
      verdict: "pending",
      place: { file: "all.yaml", line: 4, column: 3 },
    },
  ],
});

const elsewhere = change({
  service: "wiki",
  kind: "WikiPage",
  key: "48213",
  action: "update",
  verdict: "drift",
  place: { file: "wiki.yaml", line: 2, column: 1 },
});

/** The content of `manifests/all.yaml` in these plans. */
export const manifest = "kind: BranchLock\nspec:\n  project: platform/core\n  reason: Frozen for 2.4 GA\n";

/** A change at lines of that file, one of its fields, and a drift in a file that no pull request touches. */
export const twoChanges: Plan = { ...base, changes: [lock, elsewhere] };

/** The same without the risk, and with another value. */
export const calmer: Plan = {
  ...base,
  changes: [
    { ...lock, risks: [], fields: lock.fields.map((field) => ({ ...field, desired: "Frozen until Monday" })) },
    elsewhere,
  ],
};

export const nothing: Plan = base;
