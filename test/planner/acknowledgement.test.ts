import { describe, expect, test } from "vitest";
import type { Acknowledgement } from "../../src/core/acknowledgement.ts";
import type { Metadata, Resource } from "../../src/core/resource.ts";
import { type Decision, decide } from "../../src/planner/decide.ts";
import { asOf, decideAll, subjectsOf } from "../../src/planner/subjects.ts";
import { renderPlan } from "../../src/reports/text/plan-text.ts";
import { absent, box, declare, fakeKinds, present, unknown } from "../support/fake-kinds.ts";
import { openDirectLab, problemsOf } from "../support/lab.ts";

const spec = { shelf: "a", name: "x", size: 1, label: "l" };
const moved = present({ ...spec, size: 2, label: "m" });
const until = "2027-01-20";
const ofSize: Acknowledgement = { fields: ["size"], until, reason: "Under repair", by: "Ada" };
const ofAll: Acknowledgement = { until, reason: "Under repair" };

function acknowledge(acknowledged: readonly Acknowledgement[], stated = spec, metadata: Partial<Metadata> = {}) {
  return declare(stated, { acknowledged, ...metadata });
}

function inWords(decision: Decision): string {
  if (decision.is === "unknown") return "unknown";
  const left = (decision.acknowledged ?? []).map(({ field }) => field).join("+");
  const fields =
    decision.is === "change" && "fields" in decision.change
      ? ` of ${decision.change.fields.map(({ path }) => path[0]).join("+")}`
      : "";
  const what = decision.is === "change" ? `${decision.change.action} ${decision.change.verdict}${fields}` : decision.is;
  return left === "" ? what : `${what}, left alone: ${left}`;
}

describe("an acknowledgement covers", () => {
  const base = declare(spec);
  const gone = declare(spec, { state: "absent" });
  test.each([
    ["a field that drifted", acknowledge([ofSize]), base, moved, "update drift of label, left alone: size"],
    ["a whole resource", acknowledge([ofAll]), base, moved, "in sync, left alone: size+label"],
    ["without a base too", acknowledge([ofAll]), undefined, moved, "in sync, left alone: size+label"],
    ["that it was deleted", acknowledge([ofAll]), base, absent, "in sync, left alone: *"],
    ["that it was created", acknowledge([ofAll], spec, { state: "absent" }), gone, moved, "in sync, left alone: *"],
    ["nothing that is as declared", acknowledge([ofAll]), base, present(spec), "in sync"],
    [
      "no field that is ignored",
      acknowledge([ofAll], spec, { ignore: ["size"] }),
      base,
      moved,
      "in sync, left alone: label",
    ],
    ["not what is unknown", acknowledge([ofAll]), base, unknown, "unknown"],
    ["not that it was deleted, by a field", acknowledge([ofSize]), base, absent, "create drift"],
    [
      "not what the manifests changed: pending",
      acknowledge([ofAll], { ...spec, size: 3 }),
      base,
      present(spec),
      "update pending of size",
    ],
    [
      "not what both changed: conflict",
      acknowledge([ofAll], { ...spec, size: 3 }),
      base,
      moved,
      "update conflict of size, left alone: label",
    ],
    ["not what the manifests removed", acknowledge([ofAll], spec, { state: "absent" }), base, moved, "delete conflict"],
  ])("%s", (_name, now, before, live, expected) => {
    expect(inWords(decide(box, { now, base: before }, live))).toBe(expected);
  });

  test("that it was created, without a base too", () => {
    const now = acknowledge([ofAll], spec, { state: "absent" });
    expect(inWords(decide(box, { now, base: undefined }, moved))).toBe("in sync, left alone: *");
  });

  test("not what the base does not have yet", () => {
    const now = acknowledge([ofAll]);
    const by = (hasBase: boolean) => inWords(decide(box, { now, base: undefined, hasBase }, absent));
    expect([by(true), by(false)]).toEqual(["create pending", "in sync, left alone: *"]);
    expect(inWords(decide(box, { now, base: undefined, hasBase: true }, moved))).toBe("update pending of size+label");
  });

  test("not what the base does not have yet, as a run with a base decides about all resources", () => {
    const decisions = (base: readonly Resource[] | undefined) => {
      const now = new Date("2027-01-14T02:00:00.000Z");
      const declarations = { kinds: fakeKinds, desired: [acknowledge([ofAll])], base, selected: () => true, now };
      const subjects = subjectsOf(declarations);
      const looked = new Map(subjects.map(({ address }) => [address, absent]));
      return decideAll(declarations, subjects, looked).map(({ decision }) => inWords(decision));
    };
    expect([decisions([]), decisions(undefined)]).toEqual([["create pending"], ["in sync, left alone: *"]]);
  });

  test("a field until the latest of several dates", () => {
    const longer = { until: "2027-02-01", reason: "Longer" };
    const decision = decide(box, { now: acknowledge([ofSize, longer]), base }, moved);
    expect(decision).toMatchObject({ acknowledged: [{ field: "size", ...longer }, { field: "label" }] });
  });

  test("a field whose live value an update keeps", () => {
    const decision = decide(box, { now: acknowledge([ofSize]), base }, moved);
    expect(decision).toMatchObject({ change: { desired: { size: 2, label: "l" } } });
  });

  test("its subject through its last day, and nothing from the next day on", () => {
    const at = (moment: string) => asOf([acknowledge([ofSize])], fakeKinds, new Date(moment))[0]?.metadata;
    expect(at("2027-01-20T23:59:59.999Z")?.acknowledged).toEqual([ofSize]);
    expect(at("2027-01-21T00:00:00Z")).toStrictEqual(declare(spec).metadata);
  });

  test("nothing beyond the day on which the resource expires", () => {
    const [ended] = asOf([acknowledge([ofAll], spec, { expires: "2027-01-02" })], fakeKinds, new Date("2027-01-02"));
    expect(ended?.metadata).toMatchObject({ state: "absent" });
    expect(ended?.metadata).not.toHaveProperty("acknowledged");
  });
});

test("what needs an acknowledged missing resource is left alone too", async () => {
  await using lab = await openDirectLab({ now: new Date("2027-01-01") });
  const text = (ignore: readonly object[]) =>
    `---\n${JSON.stringify({ kind: "AnalysisUser", metadata: { ignore }, spec: { name: "kite" } })}\n---\nkind: AnalysisGroup\nspec: { name: flyers, users: [kite] }\n`;
  const { calls, unknown: left } = await lab.plan(text([ofAll]));
  expect(calls).toEqual([]);
  expect(left).toMatchObject([
    { problem: { message: "It needs analysis/AnalysisUser/kite, which is missing, as acknowledged." } },
  ]);
  expect((await lab.plan(text([]))).calls).not.toEqual([]);
});

describe("an acknowledgement in a manifest", () => {
  const stated = { org: "meridian-kites", repo: "website", enabled: true };
  const manifest = (...ignore: readonly object[]) =>
    `---\n${JSON.stringify({ kind: "ActionsPermission", metadata: { ignore }, spec: stated })}\n`;
  const closedAt = async (moment: string) => {
    const lab = await openDirectLab({ now: new Date(moment) });
    lab.sandbox.change(({ hosting }) => {
      for (const { name, actions } of hosting.repositories) if (name === "website") actions.enabled = false;
    });
    return lab;
  };
  const quiet = { until, reason: "Under repair", by: "Ada" };

  test("silences drift until its day is over, and its resource counts as neither in sync nor changed", async () => {
    const text = manifest({ fields: ["enabled"], ...quiet });
    const plansAt = async (moment: string) => {
      await using lab = await closedAt(moment);
      return await lab.plan({ now: text, base: text });
    };
    const address = "hosting/ActionsPermission/meridian-kites/website";
    const before = await plansAt("2027-01-20T23:00:00Z");
    expect(before).toMatchObject({
      changes: [],
      inSync: [],
      calls: [],
      ignored: [{ address, field: "enabled", ...quiet }],
    });
    expect(before).not.toHaveProperty("newlyAcknowledged");
    const after = await plansAt("2027-01-21T00:00:00Z");
    expect(after).toMatchObject({ changes: [{ address, verdict: "drift" }], ignored: [] });
  });

  test("that the base lacks is named, whether or not anything differs yet", async () => {
    const now = manifest({ fields: ["enabled"], ...quiet });
    const added = { address: "hosting/ActionsPermission/meridian-kites/website", fields: ["enabled"], ...quiet };
    await using closed = await closedAt("2027-01-01");
    expect(await closed.plan({ now, base: manifest() })).toMatchObject({ newlyAcknowledged: [added] });
    await using open = await openDirectLab({ now: new Date("2027-01-01") });
    const plan = await open.plan({ now, base: manifest() });
    expect(plan).toMatchObject({ ignored: [], newlyAcknowledged: [added] });
    expect(renderPlan(plan, { width: 80, color: false, all: false })).toMatchInlineSnapshot(`
      "These manifests newly leave alone:
        hosting/ActionsPermission/meridian-kites/website
            acknowledged enabled until 2027-01-20 by Ada: "Under repair"

      Everything is as desired: 1 resource, 1 read."
    `);
    expect(await open.plan(now)).not.toHaveProperty("newlyAcknowledged");
  });

  test("for good, that the base lacks, is named too: nothing else of a plan shows it while nothing differs", async () => {
    await using lab = await openDirectLab();
    const text = (ignore: readonly string[]) =>
      `---\n${JSON.stringify({ kind: "ActionsPermission", metadata: { ignore }, spec: stated })}\n`;
    const [none, one] = [text([]), text(["enabled"])];
    const plan = await lab.plan({ now: one, base: none });
    const address = "hosting/ActionsPermission/meridian-kites/website";
    expect(plan).toMatchObject({ changes: [], ignored: [], newlyAcknowledged: [{ address, fields: ["enabled"] }] });
    expect(renderPlan(plan, { width: 80, color: false, all: false })).toContain(
      `alone:\n  ${address}\n      ignores enabled\n`,
    );
    expect(await lab.plan({ now: one, base: one })).not.toHaveProperty("newlyAcknowledged");
  });

  test("is an error if it names an unknown field, an invalid day or no reason", async () => {
    await using lab = await openDirectLab();
    const wrong = (item: object) => problemsOf(lab.plan(manifest(item)));
    expect(await wrong({ ...quiet, fields: ["enable"] })).toMatchObject([
      { code: "SP1004", message: expect.stringContaining('Did you mean "enabled"?') },
    ]);
    expect(await wrong({ ...quiet, until: "2027-02-30" })).toMatchObject([{ code: "SP1002" }]);
    expect(await wrong({ until })).toMatchObject([{ code: "SP1003" }]);
  });
});
