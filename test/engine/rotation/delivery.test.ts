import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { ProblemError } from "../../../src/core/problem.ts";
import { undeliveredAfter, undeliveredIn } from "../../../src/engine/journal/journal.ts";
import { diskRuns } from "../../../src/engine/journal/runs.ts";
import { startSandbox } from "../../../src/sandbox/sandbox.ts";
import { environmentFor } from "../../../src/sandbox/server/environment.ts";
import type { OpenOptions } from "../../../src/setpoint.ts";
import { openDesk, workspaceText } from "../../support/commands.ts";
import { openDirectLab } from "../../support/lab.ts";
import { document } from "../../support/manifest.ts";
import { expectOneHeld } from "../../support/tokens.ts";
import { held, live, manifest, old, personal, pluginWorld, services, toFile, worldWith } from "./world.ts";

test("where the next secret of a token in sync goes is named if the base says otherwise: no call shows it", async () => {
  await using lab = await openDirectLab({ world: worldWith("nothing") });
  const elsewhere = manifest({ command: ["curl", "-T", "-"], check: ["cat", "kept"] });
  expect((await lab.plan({ now: toFile, base: elsewhere })).newlyDelivered).toBeUndefined();
  await lab.apply(toFile);
  expect((await lab.plan({ now: toFile, base: toFile })).newlyDelivered).toBeUndefined();
  expect(await lab.plan({ now: elsewhere, base: toFile })).toMatchObject({
    changes: [],
    newlyDelivered: [{ address: "artifacts/AccessToken/deploy", to: { command: ["curl", "-T", "-"] } }],
  });
});

describe("a delivery that fails", () => {
  const failing = manifest({ command: ["sh", "-c", "cat >/dev/null; exit 3"], check: ["cat", "kept"] });
  const forgetting = manifest({ command: ["sh", "-c", "cat >/dev/null"], check: ["echo", "something else"] });

  test.each([
    ["because the command fails", failing, "ended with 3"],
    ["because the check tells another secret", forgetting, "neither the secret nor its SHA-256"],
  ])("%s, revokes the new token and leaves the old one alone", async (_why, wrong, words) => {
    await using lab = await openDirectLab({ world: worldWith("an old token"), allowExec: true });
    const report = await lab.apply(wrong);
    expect(report.outcomes).toMatchObject([
      { result: "failed", problem: { code: "SP4005", message: expect.stringContaining(words) } },
    ]);
    expect(report.outcomes[0]?.problem?.message).toContain("It was revoked");
    expect(report.calls.map(({ result }) => result)).toEqual(["failed", "skipped"]);
    expect(lab.journal.map(({ event }) => event)).toContain("take back");
    expect(lab.sandbox.state().artifacts.tokens).toEqual([old]);
    await lab.apply(toFile);
    expectOneHeld(lab.sandbox.state(), "artifacts", "deploy", held(lab));
  });

  test("leaves the new token to the next run if the service did not return its id", async () => {
    await using lab = await openDirectLab({ world: pluginWorld("tracker", "an old token", false), allowExec: true });
    const wrong = personal("tracker", { command: ["false"], check: ["true"] });
    const [outcome] = (await lab.apply(wrong)).outcomes;
    expect(outcome).toMatchObject({ result: "failed", problem: { code: "SP4005" } });
    expect(outcome?.problem?.message).toContain("It still exists");
    expect(live(lab, "tracker").map(({ description }) => description)).toEqual(["deploy", "deploy (2)"]);
    await lab.apply(services.tracker.manifest);
    expectOneHeld(lab.sandbox.state(), "tracker", "deploy", held(lab));
  });

  test("is detected before anything is sent if the file cannot be written", async () => {
    await using lab = await openDirectLab({ world: worldWith("nothing") });
    mkdirSync(join(lab.folder, "deploy"));
    const report = await lab.apply(toFile);
    expect(report.outcomes).toMatchObject([{ result: "failed", problem: { code: "SP1017" } }]);
    expect(lab.asked()).toEqual(["listTokens"]);
  });

  test("is detected before anything is sent if commands are not allowed", async () => {
    await using lab = await openDirectLab({ world: worldWith("nothing") });
    expect((await lab.apply(failing)).outcomes).toMatchObject([{ result: "failed", problem: { code: "SP2002" } }]);
    expect(lab.asked()).toEqual(["listTokens"]);
  });
});

describe("which secrets are undelivered after a run", () => {
  const intent = { event: "intent", call: { id: 1, carries: ["a"], deliver: {} } };
  const outcome = (result: string, code?: string) => ({
    event: "outcome",
    outcome: { id: 1, result, ...(code === undefined ? {} : { problem: { code } }) },
  });

  test.each([
    ["killed before an outcome", [intent], ["a"]],
    ["delivered", [intent, outcome("done")], []],
    ["not permitted, so that there is no new secret", [intent, outcome("failed", "SP3004")], []],
    ["refused, perhaps because a copy of the request came first", [intent, outcome("failed", "SP3007")], ["a"]],
    ["answered with nonsense", [intent, outcome("failed", "SP3103")], ["a"]],
    ["not delivered", [intent, outcome("failed", "SP4005")], ["a"]],
    ["not requested after all", [intent, outcome("skipped", "SP5003")], []],
    ["with a lost answer", [intent, outcome("lost", "SP3105")], ["a"]],
    ["a call without a secret", [{ event: "intent", call: { id: 1, carries: ["a"] } }], []],
  ])("%s", (_name, entries, expected) => {
    expect([...undeliveredAfter(new Set(), entries)]).toEqual(expected);
  });

  test("an undelivered one stays so after a refused attempt, until one is delivered", () => {
    const after = undeliveredAfter(new Set(["a", "b"]), [intent, outcome("failed", "SP3007")]);
    expect([...after].sort()).toEqual(["a", "b"]);
    expect([...undeliveredAfter(after, [undefined, intent, outcome("done")])]).toEqual(["b"]);
  });

  test("an undelivered one stays so after a refused attempt if only the start of its run still says so", () => {
    const start = { event: "start", undelivered: ["a"] };
    expect([...undeliveredAfter(new Set(), [start, intent, outcome("failed", "SP3004")])]).toEqual(["a"]);
    expect([...undeliveredAfter(new Set(), [start, intent, outcome("done")])]).toEqual([]);
  });
});

test("a secret that one environment left undelivered is its own: another one in the same folder neither renews nor settles it", async () => {
  const token = document("PersonalToken", { description: "robot", deliver: { file: "robot" } }, { service: "wiki" });
  await using desk = await openDesk(token);
  const second = await startSandbox();
  onTestFinished(() => second.close());
  const refusing = () => async () => ({
    put: () => Promise.reject(new ProblemError({ code: "SP4005", message: "The disk is full." })),
  });
  const applied = async (options: OpenOptions = {}) => {
    const workspace = desk.open(options);
    const planned = await workspace.plan();
    if (planned.is === "wrong") throw new ProblemError(...planned.problems);
    const { outcomes } = await workspace.apply(planned);
    return outcomes.map(({ result }) => result);
  };
  const inSecond = { env: { ...desk.env, ...environmentFor(second.url) } };
  const use = (url: string) => desk.write("setpoint.yaml", workspaceText(url));
  await use(second.url);
  expect(await applied(inSecond)).toEqual(["applied"]);
  await use(desk.sandbox.url);
  expect(await applied({ sinks: refusing })).toEqual(["failed"]);
  await use(second.url);
  expect(await applied(inSecond)).toEqual([]);
  second.change((world) => {
    world.wiki.tokenPlugin.tokens = [];
  });
  expect(await applied(inSecond)).toEqual(["applied"]);

  expect([...undeliveredIn(diskRuns(desk.path, () => new Date()).past())]).toEqual([
    `${desk.sandbox.url}/wiki wiki/PersonalToken/robot`,
  ]);
  await use(desk.sandbox.url);
  expect(await applied()).toEqual(["applied"]);
  expectOneHeld(desk.sandbox.state(), "wiki", "robot", readFileSync(join(desk.path, "robot"), "utf8"));
});
