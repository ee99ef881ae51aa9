import { describe, expect, test } from "vitest";
import type { Change, FieldDifference, Risk, Verdict, Writable } from "../../src/core/change.ts";
import type { Kind } from "../../src/core/kind.ts";
import { happenedOf } from "../../src/planner/happened.ts";
import { type Box, box } from "../support/fake-kinds.ts";

/** A kind in which `on` lists who has access, and whose every change loses and renews something. */
const chest: Kind<Box> = {
  ...box,
  risk(change) {
    const before = change.action === "create" ? [] : (change.live.on ?? []);
    const after = change.action === "delete" ? [] : (change.desired.on ?? []);
    const risks: Risk[] = ["irreversible", "secret-rotates"];
    if (before.some((name) => !after.includes(name))) risks.unshift("narrows-access");
    if (after.some((name) => !before.includes(name))) risks.unshift("widens-access");
    return risks;
  },
};

const common = { address: "store/Box/a:x", key: "a:x", marker: undefined };
const spec = (on: readonly string[], label = "l"): Box => ({ shelf: "a", name: "x", label, on: [...on] });
const field = (name: string, verdict: Verdict): FieldDifference => ({ path: [name], live: 0, desired: 1, verdict });

function update(live: Box, desired: Box, ...fields: readonly FieldDifference[]): Change {
  const verdict = fields.some((one) => one.verdict === "drift") ? "drift" : "conflict";
  return { ...common, verdict, action: "update", live, desired, fields, kept: [] };
}

describe("what happened on the service", () => {
  const drift = { ...common, verdict: "drift" } as const;
  const conflict = { ...common, verdict: "conflict" } as const;

  test.each<readonly [string, Change, unknown]>([
    [
      "what is to be created was deleted",
      { ...drift, action: "create", desired: spec(["p"]) },
      { action: "delete", risks: ["narrows-access"] },
    ],
    [
      "what is to be deleted was created",
      { ...drift, action: "delete", declared: spec([]), live: spec(["p"]), kept: [] },
      { action: "create", risks: ["widens-access"] },
    ],
    [
      "what is to be widened was narrowed",
      update(spec([]), spec(["p"]), field("on", "drift")),
      { action: "update", risks: ["narrows-access"] },
    ],
    [
      "one change may have done both",
      update(spec(["q"]), spec(["p"]), field("on", "drift")),
      { action: "update", risks: ["widens-access", "narrows-access"] },
    ],
    [
      "fields that only the manifests changed did not happen to it",
      update(spec([]), spec(["p"], "m"), field("on", "pending"), field("label", "drift")),
      { action: "update", risks: [] },
    ],
    [
      "a field that both sides changed goes from the manifests' value to the live one",
      update(spec([]), spec(["p"]), field("on", "conflict")),
      { action: "update", risks: ["narrows-access"] },
    ],
    [
      "what the manifests let go while somebody changed it was changed",
      { ...conflict, action: "delete", declared: spec([]), live: spec(["p"]), kept: [] },
      { action: "update", risks: ["widens-access"] },
    ],
    [
      "what needs a person was changed all the same",
      {
        ...drift,
        action: "check",
        desired: spec([]),
        live: spec(["p"]),
        fields: [field("on", "drift")],
        instruction: "",
      },
      { action: "update", risks: ["widens-access"] },
    ],
    [
      "what a person has to create was deleted",
      { ...drift, action: "check", desired: spec(["p"]), live: undefined, fields: [], instruction: "" },
      { action: "delete", risks: ["narrows-access"] },
    ],
    [
      "what a person has to delete was created",
      { ...drift, action: "check", desired: undefined, live: spec(["p"]), fields: [], instruction: "" },
      { action: "create", risks: ["widens-access"] },
    ],
    [
      "nothing, if only the manifests changed",
      { ...common, verdict: "pending", action: "create", desired: spec(["p"]) },
      undefined,
    ],
  ])("%s", (_what, change, expected) => {
    expect(happenedOf(chest, change)).toEqual(expected);
  });

  test("a kind judges it as the reverse change, with only the fields that moved", () => {
    const seen: Writable[] = [];
    const asked: Kind<Box> = {
      ...chest,
      risk(change) {
        seen.push(change);
        return [];
      },
    };
    happenedOf(asked, update(spec(["q"]), spec(["p"], "m"), field("on", "drift"), field("label", "pending")));
    happenedOf(asked, { ...drift, action: "create", desired: spec(["p"]) });
    const common = { address: "store/Box/a:x", key: "a:x", marker: undefined };
    expect(seen).toStrictEqual([
      {
        ...common,
        verdict: "drift",
        action: "update",
        live: spec(["p"]),
        desired: spec(["q"]),
        fields: [{ path: ["on"], live: 1, desired: 0, verdict: "drift" }],
        kept: [],
      },
      { ...common, verdict: "drift", action: "delete", declared: spec(["p"]), live: spec(["p"]), kept: [] },
    ]);
  });

  test("a kind without risks has none, and what a person has to delete might have been changed before", () => {
    const changed: Change = { ...conflict, action: "delete", declared: spec([]), live: spec(["p"]), kept: [] };
    expect(happenedOf(box, changed)).toEqual({ action: "update", risks: [] });
    const seen: Writable[] = [];
    const asked: Kind<Box> = {
      ...box,
      risk(change) {
        seen.push(change);
        return [];
      },
    };
    happenedOf(asked, changed);
    const check = { ...conflict, action: "check", desired: undefined, fields: [], instruction: "" } as const;
    expect(happenedOf(asked, { ...check, live: spec(["p"]) })).toEqual({ action: "update", risks: [] });
    expect(seen).toMatchObject([
      { live: { on: [] }, desired: { on: ["p"] }, fields: [], kept: [] },
      { live: { on: ["p"] }, desired: { on: ["p"] }, fields: [], kept: [] },
    ]);
  });
});
