import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { listen, openDesk, start, workflows } from "../support/commands.ts";

const head = (desk: Awaited<ReturnType<typeof openDesk>>) =>
  desk.sandbox.state().hosting.repositories[0]?.pulls.find(({ number }) => number === 8)?.head.sha ?? "";

/** The states of the pull request's statuses, oldest first. */
function statuses(desk: Awaited<ReturnType<typeof openDesk>>) {
  return (desk.sandbox.state().hosting.repositories[0]?.statuses ?? [])
    .filter(({ sha }) => sha === head(desk))
    .map(({ state, context, description }) => [state, context.replace(/ \(.*/, ""), description]);
}

test("a plan publishes to what a workflow's event names; a failed publisher is reported and stops no other", async () => {
  await using desk = await openDesk(workflows("website", false));
  const event = { pull_request: { number: 8, head: { sha: head(desk) } } };
  await desk.write("event.json", JSON.stringify(event));
  const env = {
    GITHUB_REPOSITORY: "meridian-kites/website",
    GITHUB_EVENT_PATH: join(desk.path, "event.json"),
    GITHUB_SHA: "0".repeat(40),
  };
  const ways = ["wiki=9", "status", "comment"].flatMap((way) => ["--publish", way]);
  const { code, out, err } = await desk.run(["plan", "--json", ...ways], env);
  expect(code).toBe(1);
  expect(JSON.parse(out)).toMatchObject({ version: 1, changes: [{ kind: "ActionsPermission" }] });
  expect(JSON.parse(err)).toMatchObject({
    version: 1,
    problems: [{ code: "SP3005", message: expect.stringContaining("Not published as wiki. ") }],
  });
  expect(statuses(desk)).toEqual([
    ["pending", "setpoint/plan", "plan is running"],
    ["success", "setpoint/plan", "1 pending"],
  ]);
  expect(desk.sandbox.requests().flatMap(({ effect, operation }) => (effect === "write" ? [operation] : []))).toEqual([
    "createStatus",
    "createStatus",
    "createIssueComment",
  ]);
});

test("a drift with differences, an apply and a run without a plan each publish their final state", async () => {
  await using desk = await openDesk(workflows("website", false));
  const about = [
    "--about",
    "repository=meridian-kites/website",
    "--about",
    `commit=${head(desk)}`,
    "--publish",
    "status",
  ];
  const drift = await desk.run(["drift", ...about]);
  const published = /^Published: status setpoint\/drift \(\S+\) in meridian-kites\/website\.\n$/;
  expect([drift.code, drift.err]).toEqual([2, expect.stringMatching(published)]);
  expect((await desk.run(["apply", "--yes", ...about])).code).toBe(0);
  await desk.write("manifests/all.yaml", "kind: Nonesuch\nspec: {}\n");
  expect((await desk.run(["plan", ...about])).code).toBe(1);
  expect((await desk.run(["apply", "none.json", ...about])).code).toBe(1);
  expect(statuses(desk)).toEqual([
    ["pending", "setpoint/drift", "drift is running"],
    ["failure", "setpoint/drift", "1 drifted"],
    ["pending", "setpoint/apply", "apply is running"],
    ["success", "setpoint/apply", "1 applied"],
    ["pending", "setpoint/plan", "plan is running"],
    ["error", "setpoint/plan", "Ended early: 1 problem (SP1008)"],
    ["error", "setpoint/apply", "Ended early: 1 problem (SP1017)"],
  ]);
  const wrong = await desk.run(["plan", "--publish", "wiki"]);
  expect(wrong.err).toContain("Expected wiki=<page id>, such as wiki=48213.");
  const unknown = await desk.run(["plan", "--about", "branch=x"]);
  expect(unknown.err).toContain("Expected fact=value, where fact is repository, commit, ");
});

test.each([
  ["plan", "Apply would make 1 call: 1 × hosting.setActionsPermissions."],
  ["apply --yes", "1 applied, 0 failed, 0 skipped."],
])("the result of %s is printed before it is published to a service that might never answer", async (words, result) => {
  await using desk = await openDesk(workflows("website", false));
  await using silent = await listen(() => {});
  const workspace = await readFile(join(desk.path, "setpoint.yaml"), "utf8");
  await desk.write("setpoint.yaml", workspace.replace(`${desk.sandbox.url}/wiki`, `${silent.url}/wiki`));
  const env = { ...desk.env, SETPOINT_WIKI_URL: silent.url };
  const command = start([...words.split(" "), "--publish", "wiki=48213"], { cwd: desk.path, env });
  const out = text(command.stdout);
  await once(silent.server, "request");
  command.kill("SIGKILL");
  expect(await out).toContain(result);
});
