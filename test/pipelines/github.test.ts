import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { isScalar, parseDocument, visit } from "yaml";
import { lock } from "../support/commands.ts";
import { openHub, secretValues } from "./support/hub.ts";

const locks = "manifests/locks.yaml";
const first = lock("platform/core", "release-2.3");
const second = lock("platform/core", "release-2.4");

type Hub = Awaited<ReturnType<typeof openHub>>;

/** Returns the writes so far to services that manifests manage, and forgets them. */
function written(hub: Hub): readonly string[] {
  const writes = hub.sandbox
    .requests()
    .flatMap(({ effect, service, operation }) =>
      effect === "write" && service !== "hosting" ? [`${service}.${operation}`] : [],
    );
  hub.sandbox.clear();
  return writes;
}

/** Returns what the statuses of a commit say, the oldest first. */
function statuses(hub: Hub, commit: string) {
  return (hub.sandbox.state().hosting.repositories[0]?.statuses ?? [])
    .filter(({ sha }) => sha === commit)
    .map(({ state, context, description }) => `${state} ${context} ${description}`);
}

const unlock = (hub: Hub, branch: string) =>
  hub.sandbox.change(({ review }) => {
    for (const { access } of Object.values(review.projects)) delete access[`refs/heads/${branch}`];
  });

test("a pull request is planned, merged and applied as reviewed; the nightly runs report a drift, and remember it", async () => {
  await using hub = await openHub({ [locks]: first });

  const pull = hub.open(11, { [locks]: first + second });
  const planned = await hub.run("plan.yml", { on: "pull_request", pull });
  expect(planned, planned.steps.at(-1)?.said).toMatchObject({ failed: false, jobs: ["validate", "plan"] });
  expect(written(hub)).toEqual([]);
  expect(planned.summary).toContain("release-2.4");
  expect(statuses(hub, pull.head)).toEqual([
    "pending setpoint/plan plan is running",
    "success setpoint/plan 1 pending",
  ]);
  const comments = hub.sandbox.state().hosting.repositories[0]?.pulls.find(({ number }) => number === 11)?.comments;
  expect(comments?.map(({ body }) => body.includes("Asked for by this change: 1 resource."))).toEqual([true]);
  const saved: { readonly calls: readonly { readonly operation: string }[] } = JSON.parse(
    hub.artifact(planned.id, "plan", "plan.json"),
  );

  const merged = hub.merge(pull, "--squash");
  const applied = await hub.run("apply.yml", { on: "push" });
  expect(applied, applied.steps.at(-1)?.said).toMatchObject({ failed: false });
  expect(written(hub)).toEqual(saved.calls.map(({ operation }) => `review.${operation}`));
  expect(hub.commitOf("refs/setpoint/applied")).toBe(merged);
  expect(statuses(hub, merged)).toEqual([
    "pending setpoint/apply apply is running",
    "success setpoint/apply 1 applied",
  ]);

  unlock(hub, "release-2.3");
  const night = await hub.run("drift.yml", { on: "schedule" });
  expect(night.failed).toBe(true);
  expect(written(hub)).toEqual(["wiki.updatePage"]);
  expect(night.summary).toContain("release-2.3");
  expect(hub.artifact(night.id, "metrics", "setpoint.prom")).toContain('setpoint_exit_code{command="drift"');
  const kept = hub.commitOf("refs/setpoint/history");
  expect((await hub.run("drift.yml", { on: "schedule" })).failed).toBe(true);
  expect(hub.commitOf("refs/setpoint/history^")).toBe(kept);

  const all = [planned, applied, night].flatMap(({ steps }) => steps);
  const secretive = all.filter(({ env }) => secretValues.some((value) => Object.values(env).includes(value)));
  expect(secretive.length).toBeGreaterThan(3);
  // Only steps of the action have a secret, and its `npm` runs no script of a package.
  expect(secretive.filter(({ name }) => name !== "run" && !name.includes("--ignore-scripts"))).toEqual([]);
  const writer = "rkumar-secret";
  expect(planned.steps.filter(({ env }) => Object.values(env).includes(writer))).toEqual([]);
});

test("a plan that is out of date writes nothing: it is made again, and applied once a person has approved the new one", async () => {
  await using hub = await openHub({ [locks]: first });
  const pull = hub.open(11, { [locks]: first + second });
  const reviewed = await hub.run("plan.yml", { on: "pull_request", pull });
  const before = hub.commitOf("refs/setpoint/applied");
  unlock(hub, "release-2.3");
  const merged = hub.merge(pull);
  const stale = await hub.run("apply.yml", { on: "push" });
  expect(stale.failed).toBe(true);
  expect(stale.steps.find(({ said }) => said.includes("SP4003"))?.said).toContain("1 stale");
  expect(stale.steps.at(-1)?.said).toContain(`gh workflow run apply.yml -f run=${stale.id}`);
  expect(written(hub)).toEqual([]);
  expect(hub.commitOf("refs/setpoint/applied")).toBe(before);

  const other = await hub.run("apply.yml", { on: "workflow_dispatch", run: String(reviewed.id) });
  expect(other.steps.at(-1)?.said).toContain(
    "is of .github/workflows/plan.yml@change-11. Approve a run of apply.yml on main.",
  );
  expect([other.failed, written(hub)]).toEqual([true, []]);

  const approved = await hub.run("apply.yml", { on: "workflow_dispatch", run: String(stale.id) });
  expect(approved, approved.steps.at(-1)?.said).toMatchObject({ failed: false });
  expect(written(hub)).toEqual(["review.modifyProjectAccess"]);
  expect(hub.commitOf("refs/setpoint/applied")).toBe(merged);
});

test("a plan is not applied if main has moved, and a main with nothing to do needs no approval", async () => {
  await using hub = await openHub({ [locks]: first });
  const pulls = [
    hub.open(11, { [locks]: first + second }),
    hub.open(12, { "manifests/ui.yaml": lock("platform/ui", "release-2.4") }),
  ] as const;
  for (const pull of pulls) expect((await hub.run("plan.yml", { on: "pull_request", pull })).failed).toBe(false);
  hub.merge(pulls[0]);
  expect((await hub.run("apply.yml", { on: "push" })).failed).toBe(false);
  expect(written(hub)).toEqual(["review.modifyProjectAccess"]);
  const recorded = hub.merge(hub.open(13, { "README.md": "About\n" }));
  const idle = await hub.run("apply.yml", { on: "push" });
  expect(idle, idle.steps.at(-1)?.said).toMatchObject({ failed: false });
  expect(hub.commitOf("refs/setpoint/applied")).toBe(recorded);
  expect(idle.steps.find(({ name }) => name === "run")?.said).toContain("Everything is as desired");

  hub.merge(pulls[1]);
  const moved = await hub.run("apply.yml", { on: "push" });
  expect(moved.steps.map(({ said }) => said).join("")).toContain("Main is not what was planned");
  expect([moved.failed, written(hub)], moved.steps.map(({ name, said }) => `${name}: ${said}`).join("\n")).toEqual([
    true,
    [],
  ]);
  expect(hub.artifact(moved.id, "plan", "plan.json")).toContain("platform/ui");
  expect(hub.commitOf("refs/setpoint/applied")).toBe(recorded);
});

test("a fork's pull request is validated, without a secret and without a request", async () => {
  await using hub = await openHub({ [locks]: first });
  const pull = hub.open(11, { [locks]: first + second }, true);
  const sound = await hub.run("plan.yml", { on: "pull_request", pull });
  expect(sound, sound.steps.at(-1)?.said).toMatchObject({ failed: false, jobs: ["validate"] });
  expect(JSON.stringify(sound.steps)).not.toMatch(new RegExp(secretValues.join("|")));
  const wrong = await hub.run("plan.yml", {
    on: "pull_request",
    pull: hub.open(12, { [locks]: "kind: Nonesuch\n" }, true),
  });
  expect([wrong.failed, wrong.jobs]).toEqual([true, ["validate"]]);
  expect(hub.sandbox.requests()).toEqual([]);
});

test("a hostile pull request is judged by the rules on main, and sends requests only to the services on main", async () => {
  await using hub = await openHub({ [locks]: first });
  const workspace = hub.git("show", "main:setpoint.yaml");
  const pull = hub.open(11, {
    "setpoint.yaml": `${workspace.replace("/review", "/elsewhere")}guards: { maxDeletes: 1000 }\n`,
    [locks]: first + second,
  });
  const planned = await hub.run("plan.yml", { on: "pull_request", pull });
  expect(planned.steps.map(({ said }) => said).join("")).toContain("This pull request changes them");
  expect(hub.sandbox.requests().filter(({ path }) => path.includes("elsewhere"))).toEqual([]);
});

test.each(["plan.yml", "apply.yml", "drift.yml", "action.yml"])("no script in %s contains an expression", (name) => {
  const text = readFileSync(`examples/pipelines/github/${name}`, "utf8");
  const scripts: string[] = [];
  visit(parseDocument(text), {
    Pair(_key, { key, value }) {
      if (isScalar(key) && key.value === "run" && isScalar(value)) scripts.push(String(value.value));
    },
  });
  expect(scripts.length).toBeGreaterThan(0);
  expect(scripts.filter((script) => script.includes("${{"))).toEqual([]);
  expect(text).not.toMatch(/pull_request_target:|secrets: inherit|@v\d+$/m);
  expect(text.split("\n").length).toBeLessThan(80);
});
