import { describe, expect, test } from "vitest";
import type { Change } from "../../../src/core/change.ts";
import type { Kind } from "../../../src/core/kind.ts";
import type { Resource } from "../../../src/core/resource.ts";
import { type Decision, decide, withinReach } from "../../../src/planner/decide.ts";
import { absent, type Box, box, declare, fakeOperations, gauge, present, unknown } from "../../support/fake-kinds.ts";

const spec = { shelf: "a", name: "x", size: 1 };
const now = declare(spec);
const gone = declare(spec, { state: "absent" });

/** The decision in words, as in the rows below. */
function outcome(declared: { readonly now?: Resource; readonly base?: Resource }, live: Parameters<typeof decide>[2]) {
  const decision = decide(box, { now: declared.now, base: declared.base }, live);
  return decision.is === "change" ? `${decision.change.action} ${decision.change.verdict}` : decision.is;
}

describe("the decision about one resource", () => {
  test.each([
    ["declared, never at the base, not live", { now }, absent, "create pending"],
    ["declared as at the base, but deleted on the service", { now, base: now }, absent, "create drift"],
    ["declared again after it was absent", { now, base: gone }, absent, "create pending"],
    ["live as declared", { now, base: now }, present(spec), "in sync"],
    ["changed by us", { now: declare({ ...spec, size: 2 }), base: now }, present(spec), "update pending"],
    ["changed by them", { now, base: now }, present({ ...spec, size: 2 }), "update drift"],
    [
      "changed by both",
      { now: declare({ ...spec, size: 2 }), base: now },
      present({ ...spec, size: 3 }),
      "update conflict",
    ],
    [
      "changed by both to the same",
      { now: declare({ ...spec, size: 2 }), base: now },
      present({ ...spec, size: 2 }),
      "in sync",
    ],
    ["different without a base", { now }, present({ ...spec, size: 2 }), "update pending"],
    [
      "stated now, not at the base",
      { now, base: declare({ shelf: "a", name: "x" }) },
      present({ ...spec, size: 2 }),
      "update pending",
    ],
    ["declared absent", { now: gone, base: now }, present(spec), "delete pending"],
    ["declared absent, without a base", { now: gone }, present(spec), "delete pending"],
    [
      "declared absent while somebody changed it",
      { now: gone, base: now },
      present({ ...spec, size: 2 }),
      "delete conflict",
    ],
    ["absent all along, but somebody created it", { now: gone, base: gone }, present(spec), "delete drift"],
    ["absent and not live", { now: gone }, absent, "in sync"],
    ["left the manifests", { base: now }, present(spec), "delete pending"],
    ["left the manifests while somebody changed it", { base: now }, present({ ...spec, size: 2 }), "delete conflict"],
    ["left the manifests and is gone", { base: now }, absent, "in sync"],
    ["left the manifests after it was absent, but somebody created it", { base: gone }, present(spec), "in sync"],
    ["never declared", {}, present(spec), "in sync"],
    ["unknown", { now }, unknown, "unknown"],
    ["unknown and to be deleted", { base: now }, unknown, "unknown"],
  ])("%s", (_name, declared, live, expected) => {
    expect(outcome(declared, live)).toBe(expected);
  });

  test("a field that the manifest omits is not managed", () => {
    const decision = decide(box, { now: declare({ shelf: "a", name: "x" }), base: undefined }, present(spec));
    expect(decision).toEqual({ is: "in sync", ignored: [] });
  });

  test("an ignored field is named but not managed", () => {
    const wanted = declare({ ...spec, size: 2 }, { ignore: ["size"] });
    expect(decide(box, { now: wanted, base: undefined }, present(spec))).toEqual({ is: "in sync", ignored: ["size"] });
  });

  test("an update keeps the live value of what the manifest ignores or omits", () => {
    const wanted = declare({ ...spec, size: 2, label: "new" }, { ignore: ["size"] });
    const decision = decide(box, { now: wanted, base: undefined }, present({ ...spec, on: ["y"] }));
    expect(decision).toMatchObject({ change: { desired: { ...spec, label: "new", on: ["y"] } } });
  });

  test("a kind without writes needs a person", () => {
    const decision = decide(gauge, { now: declare({ ...spec, size: 2 }, {}, gauge), base: undefined }, present(spec));
    expect(decision).toMatchObject({ change: { action: "check", instruction: expect.stringContaining("manually") } });
  });
});

describe("a decision", () => {
  const common = { address: now.address, key: now.key, marker: undefined };

  test("to create has the declared specification, and the marker and note of the service", () => {
    expect(decide(box, { now, base: undefined }, { is: "absent", marker: 7, note: "in the trash" })).toStrictEqual({
      is: "change",
      ignored: [],
      note: "in the trash",
      change: { ...common, marker: 7, action: "create", verdict: "pending", desired: spec },
    });
  });

  test("to delete has what is declared, what is live and what another resource keeps", () => {
    const live = { ...spec, label: "l" };
    expect(decide(box, { now: gone, base: undefined }, present(live), ["label l"])).toStrictEqual({
      is: "change",
      ignored: [],
      change: { ...common, action: "delete", verdict: "pending", declared: spec, live, kept: ["label l"] },
    });
  });

  test("to update has the differing fields, each with its own verdict, and names what it ignores", () => {
    const before = declare({ ...spec, label: "old", on: ["p"] });
    const wanted = declare({ ...spec, size: 2, label: "new", on: ["p"] }, { ignore: ["size", "name"] });
    const live = { ...spec, label: "old", on: [] };
    expect(
      decide(box, { now: wanted, base: before }, { is: "present", spec: live, marker: 7, note: "n" }),
    ).toStrictEqual({
      is: "change",
      ignored: ["size"],
      note: "n",
      change: {
        ...common,
        marker: 7,
        action: "update",
        verdict: "drift",
        desired: { ...spec, label: "new", on: ["p"] },
        live,
        fields: [
          { path: ["label"], live: "old", desired: "new", verdict: "pending" },
          { path: ["on"], live: [], desired: ["p"], verdict: "drift" },
        ],
        kept: [],
      },
    });
  });

  test("to do nothing ignores nothing", () => {
    expect(decide(box, { now: gone, base: now }, absent)).toEqual({ is: "in sync", ignored: [] });
    expect(decide(box, { now: undefined, base: undefined }, absent)).toEqual({ is: "in sync", ignored: [] });
  });

  test("does not compare with a base to which another rule applied", () => {
    const live = present({ ...spec, size: 2 });
    const verdictBy = (sameRule: Kind<Box>["sameRule"]) => {
      const kind: Kind<Box> = { ...box, ...(sameRule === undefined ? {} : { sameRule }) };
      const decision = decide(kind, { now, base: now }, live);
      return decision.is === "change" ? decision.change.verdict : decision.is;
    };
    expect([undefined, () => true, () => false].map(verdictBy)).toEqual(["drift", "drift", "pending"]);
  });

  test("leaves alone what another resource holds, or what exists only under its former name", () => {
    const idle: Kind = { ...box, compile: () => [] };
    const wanted = declare({ ...spec, size: 2, label: "l" }, { ignore: ["label"] });
    const live = present({ ...spec, label: "m" });
    expect(decide(idle, { now: wanted, base: undefined }, live, ["size 1"])).toEqual({
      is: "in sync",
      ignored: ["label"],
    });
    expect(decide(idle, { now: wanted, base: undefined }, live)).toMatchObject({
      change: { action: "update", kept: [] },
    });
    expect(decide(idle, { now: gone, base: undefined }, live)).toEqual({ is: "in sync", ignored: [] });
    expect(decide(box, { now: wanted, base: undefined }, live, ["size 1"])).toMatchObject({
      change: { kept: ["size 1"] },
    });
    expect(decide(gauge, { now: wanted, base: undefined }, live, ["size 1"])).toMatchObject({
      change: { action: "check" },
    });
  });
});

describe("a change that needs a person", () => {
  const byHand: Kind = { ...box, needsPerson: ({ action }) => `Do the ${action}.` };

  test("has both sides and the fields that differ", () => {
    const check = (decision: Decision) => (decision.is === "change" ? decision.change : undefined);
    const common = { address: now.address, key: now.key, marker: undefined, verdict: "pending", action: "check" };
    expect(check(decide(byHand, { now, base: undefined }, absent))).toStrictEqual({
      ...common,
      desired: spec,
      live: undefined,
      fields: [],
      instruction: "Do the create.",
    });
    expect(check(decide(byHand, { now: gone, base: undefined }, present(spec)))).toStrictEqual({
      ...common,
      desired: undefined,
      live: spec,
      fields: [],
      instruction: "Do the delete.",
    });
    expect(check(decide(byHand, { now, base: undefined }, present({ ...spec, size: 2 })))).toStrictEqual({
      ...common,
      desired: spec,
      live: { ...spec, size: 2 },
      fields: [{ path: ["size"], live: 2, desired: 1, verdict: "pending" }],
      instruction: "Do the update.",
    });
  });

  test("for a kind without writes names the kind", () => {
    expect(decide(gauge, { now, base: undefined }, absent)).toMatchObject({
      change: { instruction: "Gauge can only be checked: set it manually on the service." },
    });
  });
});

describe("under wire: documented", () => {
  const beyond = { arrange: { ...fakeOperations.arrange, ext: "docs/facts.md, Boxes" } };
  const documented = (table: typeof fakeOperations) => ({ table, wire: "documented" }) as const;
  const created = decide(box, { now, base: undefined }, absent);

  test("a change that requires undocumented calls must be made manually", () => {
    expect(withinReach(box, created, "shelf a", documented(beyond))).toMatchObject({
      is: "change",
      change: {
        action: "check",
        instruction:
          "Make the change manually: it requires arrange, which is not in the service's API documents and is not sent under `wire: documented`. Set `wire: product` if the service is the product.",
      },
    });
  });

  test("every other decision is unchanged", () => {
    expect(withinReach(box, created, "shelf a", { table: beyond, wire: "product" })).toBe(created);
    expect(withinReach(box, created, "shelf a", documented(fakeOperations))).toBe(created);
    const inSync: Decision = { is: "in sync", ignored: [] };
    expect(withinReach(box, inSync, "shelf a", documented(beyond))).toBe(inSync);
    const check = decide(gauge, { now, base: undefined }, absent);
    expect(withinReach(box, check, "shelf a", documented(beyond))).toBe(check);
    expect(withinReach(gauge, created, "shelf a", documented(beyond))).toBe(created);
  });

  test("all calls of a change are checked", () => {
    const seen: unknown[] = [];
    const kind: Kind = {
      ...box,
      compile(changes: readonly Change[], scope) {
        seen.push(changes, scope);
        return [];
      },
    };
    expect(withinReach(kind, created, "shelf a", documented(beyond))).toBe(created);
    expect(seen).toEqual([[created.is === "change" && created.change], "shelf a"]);
  });
});
