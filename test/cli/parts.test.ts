import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mergeShards, type Plan, type PlanOptions } from "../../src/setpoint.ts";
import { type Desk, lock, openDesk, workflows } from "../support/commands.ts";
import { commitAll } from "../support/git.ts";

const repositories = ["website", "handbook", "telemetry"];
const own = repositories.map((repo) => workflows(repo, true));

async function planOf(desk: Desk, options: PlanOptions): Promise<Plan> {
  const planned = await desk.open().plan(options);
  if (planned.is === "wrong") throw new Error(JSON.stringify(planned.problems));
  return planned.plan;
}

test("--affected sends the reads for what changed, and no others", async () => {
  await using desk = await openDesk(
    own.join("") + lock("platform/core", "release-2.3") + lock("platform/ui", "release-2.4"),
  );
  commitAll(desk.path, "Applied");
  const changed = own.join("").replace("website, enabled: true", "website, enabled: false");
  await desk.write(
    "manifests/all.yaml",
    changed + lock("platform/core", "release-2.3") + lock("platform/ui", "release-2.4"),
  );
  const { code, out } = await desk.run(["plan", "--base", "HEAD", "--affected"]);
  expect(code).toBe(0);
  expect(out).toContain("\n1 affected, 4 not looked at.\n");
  expect(desk.sandbox.requests().map(({ operation }) => operation)).toEqual(["getActionsPermissions"]);
  expect(await planOf(desk, { base: "HEAD", affected: true })).toMatchObject({
    affected: { resources: 1, others: 4 },
    services: [{ name: "hosting", reads: 1 }],
  });
});

test("if the workspace's rules change, every resource that they concern is affected", async () => {
  await using desk = await openDesk(own.join("") + lock("platform/core", "release-2.3"));
  commitAll(desk.path, "Applied");
  const workspace = await readFile(join(desk.path, "setpoint.yaml"), "utf8");
  await desk.write("setpoint.yaml", `${workspace}exclusive: [{ kind: BranchLock, except: ["*"] }]\n`);
  expect((await planOf(desk, { base: "HEAD", affected: true })).affected).toEqual({
    resources: 1,
    others: 3,
    rules: ["review/BranchLock"],
  });
  await desk.write("setpoint.yaml", workspace.replace("type: github, ", "type: github, wire: documented, "));
  expect((await planOf(desk, { base: "HEAD", affected: true })).affected).toEqual({
    resources: 3,
    others: 1,
    rules: ["hosting"],
  });
});

test("the share of deletes is relative to everything declared, whether read or not", async () => {
  const declared = Array.from({ length: 12 }, (_none, index) => lock("platform/core", `release-${index}`)).join("");
  await using desk = await openDesk(declared, { settings: "guards: { maxDeletePercent: 50 }\n" });
  commitAll(desk.path, "Applied");
  const applied = await desk.open().plan();
  if (applied.is === "planned") await desk.open().apply(applied);
  await desk.write("manifests/all.yaml", lock("platform/core", "release-0"));
  const { refusals } = await planOf(desk, { base: "HEAD", affected: true });
  expect(refusals).toMatchObject([{ code: "SP2002" }]);
  await desk.write("manifests/all.yaml", declared.replace(lock("platform/core", "release-1"), ""));
  expect((await planOf(desk, { base: "HEAD", affected: true })).refusals).toEqual([]);
});

test("the shards of a drift merge into one report with one exit code; a missing shard is unknown", async () => {
  await using desk = await openDesk(own.join("") + lock("platform/core", "release-2.3"));
  commitAll(desk.path, "Applied");
  const shards = ["1.json", "2.json", "3.json"];
  for (const [at, file] of shards.entries()) {
    const drifted = await desk.open().drift({ base: "HEAD", shard: { index: at + 1, of: 3 } });
    if (drifted.is === "wrong") throw new Error(JSON.stringify(drifted.problems));
    await desk.write(file, JSON.stringify(drifted.plan));
  }
  // One request per repository, however many shards there are.
  const asked = desk.sandbox.requests().filter(({ operation }) => operation === "getActionsPermissions");
  expect(new Set(asked.map(({ path }) => path)).size).toBe(3);
  expect(asked).toHaveLength(3);
  const whole = await desk.open().drift({ base: "HEAD" });
  desk.sandbox.clear();
  const merged = await desk.run(["report", "merge", ...shards, "--json", "--history", "kept", "--metrics", "all.prom"]);
  expect(merged).toMatchObject({ code: 2, err: "" });
  const plan: Plan = JSON.parse(merged.out);
  expect(plan).toMatchObject({
    changes: whole.is === "planned" ? JSON.parse(JSON.stringify(whole.plan.changes)) : [],
    unknown: [],
  });
  expect(plan.shard).toBeUndefined();
  expect(desk.sandbox.requests()).toEqual([]);
  expect(await readFile(join(desk.path, "kept/drift.jsonl"), "utf8")).toContain('"command":"drift"');
  expect(await readFile(join(desk.path, "all.prom"), "utf8")).toContain('setpoint_exit_code{command="drift"');

  const part: Plan = JSON.parse(await readFile(join(desk.path, "1.json"), "utf8"));
  const lost = part.shard?.resources.findIndex((groups) => Object.keys(groups).length > 0) ?? 0;
  const missing = await desk.run([
    "report",
    "merge",
    ...shards.map((file, at) => (at === lost ? "nowhere.json" : file)),
  ]);
  expect(missing.code).toBe(3);
  expect(missing.out).toContain(`Not looked at: shard ${lost + 1} of 3 is missing.`);
  expect(missing.err).toBe("SP1017  The file nowhere.json cannot be read: there is no such file.\n");

  const narrowed = await desk.open().drift({ base: "HEAD", service: ["review"], shard: { index: 1, of: 1 } });
  await desk.write("narrowed.json", JSON.stringify(narrowed.is === "planned" ? narrowed.plan : {}));
  const unkept = await desk.run(["report", "merge", "narrowed.json", "--history", "kept"]);
  expect(unkept.err).toMatch(/^Not kept in the history: this run was narrowed/);

  // A shard whose run ended early, or whose file is damaged, is not a missing one: it could have found anything.
  await desk.write(
    "ended.json",
    JSON.stringify({ version: 1, problems: [{ code: "SP5003", message: "Interrupted." }] }),
  );
  await desk.write("half.json", "{");
  for (const [file, said] of [
    ["ended.json", "SP5003  Interrupted."],
    ["half.json", "half.json: "],
    [".", "The file . cannot be read: "],
  ] as const)
    expect(await desk.run(["report", "merge", file, ...shards])).toMatchObject({
      code: 1,
      out: expect.stringContaining(said),
      err: "",
    });

  const none = await desk.run(["report", "merge", "nowhere.json"]);
  expect(none).toMatchObject({ code: 1, out: expect.stringContaining("SP1017") });

  const two = await desk.open().drift({ base: "HEAD", service: ["review"], shard: { index: 2, of: 3 } });
  if (two.is === "planned") await desk.write("other.json", JSON.stringify(two.plan));
  await desk.write("whole.json", JSON.stringify(whole.is === "planned" ? whole.plan : {}));
  const refused = await desk.run(["report", "merge", "1.json", "2.json", "2.json", "other.json", "whole.json"]);
  expect(refused.code).toBe(1);
  for (const said of [
    "2.json is shard 2, and so is ",
    "other.json does not belong to 1.json: the manifests, the base, the rules or the options differ",
    "whole.json is not a shard",
  ])
    expect(refused.out.replaceAll(/\s+/g, " ")).toContain(said);
});

test("a shard made the day before, when an acknowledgement still applied and nothing had expired, can be merged", async () => {
  const known = 'metadata: { ignore: [{ until: "2027-01-13", reason: Known }] }\n';
  const ended = 'metadata: { expires: "2027-01-14" }\n';
  const locks = lock("platform/core", "release-2.3", known) + lock("platform/ui", "release-2.4", ended);
  await using desk = await openDesk(own.join("") + locks);
  const days = ["2027-01-13T23:59:00Z", "2027-01-14T00:01:00Z"];
  const shards = days.map(async (at, day) => {
    const drift = await desk.open({ now: () => new Date(at) }).drift({ shard: { index: day + 1, of: 2 } });
    if (drift.is === "wrong") throw new Error(JSON.stringify(drift.problems));
    return { file: `${day}.json`, plan: drift.plan };
  });
  expect(mergeShards(await Promise.all(shards))).toMatchObject({ is: "merged" });
});

test("a partial run is not saved, published or recorded, and says what it needs", async () => {
  await using desk = await openDesk(own.join(""));
  const problems = async (options: PlanOptions, command: "plan" | "drift" = "plan") => {
    const planned = await desk.open()[command](options);
    return planned.is === "wrong" ? planned.problems.map(({ code, message }) => `${code} ${message}`).join(" ") : "";
  };
  expect(await problems({ affected: true })).toContain("SP5001 --affected needs");
  expect(await problems({ affected: true, base: "HEAD" }, "drift")).toContain(
    "Drift is what changed without a manifest",
  );
  expect(await problems({ affected: true, base: "HEAD", shard: { index: 1, of: 2 } })).toContain("cannot be combined");
  for (const part of [{ affected: true, base: "HEAD" }, { shard: { index: 1, of: 2 } }])
    expect(await problems({ ...part, record: "refs/setpoint/applied" })).toContain(
      "SP5001 --record needs an apply of everything.",
    );
  for (const index of [0, 1.5, 3])
    expect(await problems({ shard: { index, of: 2 } }, "drift")).toBe(`SP5001 There is no shard ${index} of 2.`);
  const trusting = await desk.open({ trust: "HEAD" }).drift({ shard: { index: 1, of: 2 } });
  expect(trusting).toMatchObject({
    problems: [{ code: "SP5001", message: expect.stringContaining("so it cannot be combined with --trust") }],
  });
  expect(desk.sandbox.requests()).toEqual([]);
  commitAll(desk.path, "Applied");
  await desk.write("manifests/all.yaml", own.join("").replace("website, enabled: true", "website, enabled: false"));
  for (const part of [{ affected: true, base: "HEAD" }, { shard: { index: 1, of: 1 } }]) {
    const one = await desk.open().plan(part);
    if (one.is === "wrong") throw new Error("no plan");
    await expect(desk.open().apply(one)).rejects.toThrow("SP5001");
    await expect(desk.open().save(one)).rejects.toThrow("SP5001");
  }
  const drifted = await desk.open().drift();
  if (drifted.is === "planned") await expect(desk.open().save(drifted)).rejects.toThrow("SP5001");
  desk.sandbox.clear();
  expect(await desk.run(["plan", "--affected", "--base", "HEAD", "--out", "plan.json"])).toMatchObject({
    code: 1,
    out: expect.stringContaining("SP5001  --affected cannot be combined with --out."),
  });
  expect(existsSync(join(desk.path, "plan.json"))).toBe(false);
  const refused = await desk.run(["drift", "--shard", "1/2", "--history", "kept", "--publish", "status"]);
  expect(refused).toMatchObject({
    code: 1,
    out: expect.stringContaining("--shard cannot be combined with --publish, --history."),
  });
  expect(desk.sandbox.requests()).toEqual([]);
});
