import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { journalLines } from "../../../src/engine/journal/journal.ts";
import { seenChanges, unrevertedLines } from "../../../src/engine/journal/past-runs.ts";
import { type Desk, openDesk, workflows, workspaceText } from "../../support/commands.ts";

const run = "2027-01-13T180400Z-4f1c";
const group = { service: "analysis", kind: "AnalysisGroup" };

/** The state that a run saw before its changes, all of which it sent unless `unsent` says otherwise. */
const seen = [
  { ...group, address: "gone/AnalysisGroup/a", service: "gone", action: "create", desired: { name: "a" } },
  { ...group, address: "analysis/Nothing/b", kind: "Nothing", action: "create", desired: { name: "b" } },
  {
    ...{ address: "analysis/AnalysisProject/p", service: "analysis", kind: "AnalysisIssue", action: "create" },
    desired: { project: "p", id: 1, status: "Fix" },
  },
  {
    ...{ ...group, address: "analysis/AnalysisGroup/c", action: "update", fields: ["users"] },
    ...{ live: { name: "c" }, desired: { name: "c", users: ["jdoe"] } },
  },
  {
    ...{ ...group, address: "analysis/AnalysisGroup/d", action: "update", fields: ["users"] },
    ...{ live: { name: 4, users: [] }, desired: { name: "d", users: ["jdoe"] } },
  },
  {
    ...{ ...group, address: "analysis/AnalysisGroup/e", action: "update", fields: ["name"] },
    ...{ live: { name: "e" }, desired: { name: "f" } },
  },
  {
    ...{ ...group, address: "analysis/AnalysisGroup/g", action: "update", fields: ["users"] },
    live: { name: "g", users: [] },
  },
  {
    ...{ ...group, address: "analysis/AnalysisGroup/h", action: "update", fields: ["users"] },
    ...{ live: { name: "h", users: [] }, desired: { name: "h", users: "jdoe" } },
  },
  { ...group, address: "analysis/AnalysisGroup/unsent", action: "create", desired: { name: "administrators" } },
  {
    address: "hosting/ActionsPermission/meridian-kites/website",
    ...{ service: "hosting", kind: "ActionsPermission", action: "update", fields: ["enabled"] },
    live: { org: "meridian-kites", repo: "website", enabled: true },
    desired: { org: "meridian-kites", repo: "website", enabled: false },
  },
];

test("a revert names what no plan can restore, and why, and leaves out what was never sent", async () => {
  await using desk = await openDesk(workflows("website", false));
  await desk.write(
    "setpoint.yaml",
    workspaceText(desk.sandbox.url).replace(/"[^"]*\/hosting"/, '"http://127.0.0.1:1"'),
  );
  const lines = [
    { event: "start", run, calls: seen.length },
    ...seen.map((one) => ({ event: "before", ...one })),
    ...seen
      .filter(({ address }) => !address.endsWith("/unsent"))
      .map(({ address, service }, id) => ({
        event: "intent",
        call: { id, service, operation: "send", carries: [address] },
      })),
  ].map((one) => `${JSON.stringify(one)}\n`);
  const broken = ["{damaged\n", '{"event":"before","address":"analysis/AnalysisGroup/i"}\n'];
  await desk.write(`.setpoint/runs/${run}.jsonl`, [...lines, ...broken, '{"event":"end","outcomes":[]}\n'].join(""));
  const back = await desk.open().revert(run);
  if (back.is === "wrong") throw new Error(JSON.stringify(back.problems));
  expect(back.left.map(({ address, message }) => [address, message])).toEqual([
    [undefined, `Line ${lines.length + 1} of the journal of ${run} is damaged: what it says is not reverted.`],
    [undefined, `Line ${lines.length + 2} of the journal of ${run} is damaged: what it says is not reverted.`],
    ["gone/AnalysisGroup/a", "Its kind or its service is no longer in the workspace."],
    ["analysis/Nothing/b", "Its kind or its service is no longer in the workspace."],
    ["analysis/AnalysisProject/p", "It cannot be deleted."],
    ["analysis/AnalysisGroup/c", "It had no users before, which no manifest can express."],
    ["analysis/AnalysisGroup/d", "What was there before cannot be declared: the service does not report all of it."],
    ["analysis/AnalysisGroup/e", "It was renamed, and nothing says how to find it by its former name."],
    ["analysis/AnalysisGroup/g", "What the run left there cannot be declared now, so it cannot be compared."],
    ["analysis/AnalysisGroup/h", "What the run left there cannot be declared now, so it cannot be compared."],
  ]);
  expect(back.plan.changes).toEqual([]);
  // The service does not answer whether it is still as the run left it, so it is unknown and not forgotten.
  expect(back.plan.unknown.map(({ address }) => address)).toEqual(["hosting/ActionsPermission/meridian-kites/website"]);
});

test("a run at another address, as of another environment, is not reverted here", async () => {
  await using desk = await openDesk(workflows("website", false));
  const planned = await desk.open().plan();
  if (planned.is === "wrong") throw new Error(JSON.stringify(planned.problems));
  const applied = await desk.open().apply(planned);
  const { hosting } = desk.sandbox.services;
  expect((await revertOf(desk, applied.run)).plan.changes).toHaveLength(1);
  const text = readFileSync(applied.journal, "utf8");
  writeFileSync(applied.journal, text.replaceAll(hosting.url, "https://staging.example.com"));
  const { plan, left } = await revertOf(desk, applied.run);
  expect(plan.calls).toEqual([]);
  expect(left.map(({ message }) => message)).toEqual([
    `The run changed it at https://staging.example.com, and hosting is ${hosting.url} here.`,
  ]);
});

async function revertOf(desk: Desk, name: string) {
  const back = await desk.open().revert(name);
  if (back.is === "wrong") throw new Error(JSON.stringify(back.problems));
  return back;
}

test("a change is reported with its own line of the journal, even after damaged lines", () => {
  const [first] = seen;
  const intent = { event: "intent", call: { id: 1, service: "gone", operation: "send", carries: [first?.address] } };
  const told = [{ event: "start", run }, { event: "before", ...first }, intent].map((one) => JSON.stringify(one));
  const lines = journalLines(["{damaged", told[0], "too", ...told.slice(1), ""].join("\n"));
  expect(seenChanges({ name: run, lines })).toMatchObject([{ address: first?.address, line: 4 }]);
});

test("a line about a change that lacks a part is as damaged as one that is no entry", () => {
  const told = [
    { event: "start", run },
    { event: "before", ...seen[0], action: "move" },
    { event: "before", ...seen[0] },
    { event: "intent", call: { id: 1, carries: [seen[0]?.address] } },
    { event: "take back", id: 1 },
    { event: "end", outcomes: [] },
  ].map((one) => JSON.stringify(one));
  const lines = journalLines(["{damaged", ...told, ""].join("\n"));
  expect(unrevertedLines({ name: run, lines })).toEqual([1, 3, 5]);
});

test.each([
  ["create", ["failed SP3004"], "none"],
  ["create", ["skipped SP5003"], "none"],
  ["update", ["divided SP3007", "failed SP3007"], "none"],
  ["update", ["divided SP3007", "done"], "some"],
  ["update", ["done", "failed SP3004"], "some"],
  ["create", ["lost SP3105"], "some"],
  ["create", ["failed SP3009"], "some"],
  ["create", ["failed SP4005"], "some"],
  ["create", ["failed SP3005"], "none"],
  ["delete", ["failed SP3005"], "some"],
  ["create", ["no outcome"], "some"],
] as const)("what a %s may have changed whose calls ended with %j: %s", (action, results, effect) => {
  const address = "gone/AnalysisGroup/a";
  const ended = results.map((text) => text.split(" "));
  const entries = [
    { event: "before", ...group, address, action },
    ...ended.map((_, id) => ({
      event: "intent",
      call: { id, service: "gone", operation: "send", carries: [address] },
    })),
    ...ended.flatMap(([result, code], id) => {
      const problem = code === undefined ? {} : { problem: { code, message: "…" } };
      return result === "no" ? [] : [{ event: "outcome", outcome: { id, result, ...problem } }];
    }),
  ];
  const changes = seenChanges({ name: run, lines: { entries, torn: false, damaged: [] } });
  expect(changes).toMatchObject([{ isUndone: effect === "none" }]);
});
