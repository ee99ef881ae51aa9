import { describe, expect, test } from "vitest";
import type { Plan } from "../../../src/core/run/plan.ts";
import { forged } from "../../support/forge.ts";
import { openDirectLab } from "../../support/lab.ts";
import { document } from "../../support/manifest.ts";
import { address, problems, results, workflows, writes } from "./planned.ts";

const noon = new Date("2026-11-22T12:00:00Z");
const later = (minutes: number) => new Date(noon.getTime() + minutes * 60_000);

describe("a saved plan is refused", () => {
  const refused = async (edit: (plan: Plan) => Plan | string, manifests = workflows("website"), at = later(1)) => {
    await using lab = await openDirectLab({ now: noon });
    const saved = await lab.save(workflows("website"));
    lab.asked();
    const result = await lab.applySaved(edit(saved), { now: manifests, at });
    expect(writes(lab)).toEqual([]);
    return problems(result);
  };

  test("if its manifests differ, naming the difference", async () => {
    expect(await refused((plan) => plan, workflows("website", true) + workflows("handbook"))).toEqual([
      `SP2004 The manifests are not those of the plan: changed: ${address("website")} (manifests/all.yaml); new: ${address("handbook")} (manifests/all.yaml).`,
    ]);
    expect(await refused((plan) => plan, workflows("handbook"))).toEqual([
      expect.stringContaining(`removed: ${address("website")}.`),
    ]);
  });

  test("if the workspace's rules differ", async () => {
    await using lab = await openDirectLab();
    const saved = await lab.save(workflows("website"));
    const now = { now: workflows("website"), workspace: "guards: { maxDeletes: 3 }\n" };
    expect(problems(await lab.applySaved(saved, now))).toEqual([
      "SP2004 The manifests are not those of the plan: workspace rules changed: guards.",
    ]);
  });

  test("once it has expired, after 24 hours or as asked", async () => {
    const same = (plan: Plan) => plan;
    expect(await refused(same, workflows("website"), later(24 * 60))).toEqual([
      "SP2004 The plan expired at 2026-11-23 12:00 UTC.",
    ]);
    await using lab = await openDirectLab({ now: noon });
    const short = await lab.save(workflows("website"), "30m");
    const applied = (minutes: number) => lab.applySaved(short, { now: workflows("website"), at: later(minutes) });
    expect(problems(await applied(30))).toEqual(["SP2004 The plan expired at 2026-11-22 12:30 UTC."]);
    expect(problems(await applied(-6))).toEqual([expect.stringContaining("in the future")]);
    expect(results(await applied(29))).toEqual({ [address("website")]: "applied" });
  });

  test("if guards refused it, whatever the file claims", async () => {
    await using lab = await openDirectLab({ workspace: "guards: { maxDeletes: 0 }\n" });
    const gone = document("AnalysisUser", { name: "jdoe" }, { state: "absent" });
    const saved = await lab.save(gone);
    const expected = [expect.stringContaining("SP2002 The plan deletes 1 resource; the workspace allows 0")];
    expect(problems(await lab.applySaved(saved, gone))).toEqual(expected);
    expect(
      problems(
        await lab.applySaved(
          forged(saved, (plan) => ({ ...plan, refusals: [] })),
          gone,
        ),
      ),
    ).toEqual(expected);
    const consent = { maxDeletes: 1 };
    const consented = await lab.save({ now: gone, consent });
    expect(results(await lab.applySaved(consented, gone))).toEqual({ "analysis/AnalysisUser/jdoe": "applied" });
  });

  test("if it is not what was saved", async () => {
    const changed = "SP2005 The plan is not as it was saved: its seal does not match its content.";
    expect(await refused((plan) => ({ ...plan, calls: [] }))).toEqual([changed]);
    expect(await refused((plan) => ({ ...plan, fingerprints: {} }))).toEqual([changed]);
  });

  test("if it shows another change than would be made", async () => {
    const hide = (plan: Plan) =>
      forged(plan, (one) => ({ ...one, changes: one.changes.map((c) => ({ ...c, fields: [] })) }));
    expect(await refused(hide)).toEqual([
      `SP2005 The plan's change of ${address("website")} does not follow from the manifests.`,
    ]);
  });

  test("if it has a call that the manifests do not produce, or lacks one, naming each", async () => {
    const tamper = (plan: Plan) =>
      forged(plan, (one) => ({
        ...one,
        calls: one.calls.map((call) => ({ ...call, args: { ...call.args, enabled: true } })),
      }));
    expect(await refused(tamper)).toEqual([
      `SP2005 hosting.setActionsPermissions for ${address("website")}: this call is in the plan, but does not follow from the manifests.`,
      `SP2005 hosting.setActionsPermissions for ${address("website")}: this call follows from the manifests, but is not in the plan.`,
    ]);
  });

  test.each([
    ["", "SP1021 The file is not JSON."],
    ['{\n  "version": 1,\n  secret\n}', "SP1021 The file is not JSON: see line 3, column 3."],
    ["[]", "SP1021 The file is not a plan."],
    ["null", "SP1021 The file is not a plan."],
    [`{"a":${"[".repeat(50_000)}${"]".repeat(50_000)}}`, "SP1021 The file is not a plan."],
    ['{"version": 2}', "SP1021 The plan has version 2; expected version 1."],
    ['{"version": 1}', expect.stringContaining("SP1021 The file is not a plan: the plan needs")],
  ])("if it is not a plan: %.30s", async (text, problem) => {
    expect(await refused(() => text)).toEqual([problem]);
  });

  test("if it was printed and not saved", async () => {
    const printed = ({ saved: _none, ...plan }: Plan) => JSON.stringify(plan);
    expect(await refused(printed)).toEqual(["SP1021 The plan was printed, not saved."]);
  });
});
