import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { operationHelp } from "../../../src/cli/commands/call/call-command.ts";
import { operationsOf } from "../../../src/clients/find-service.ts";
import { sandboxForTest } from "../../sandbox/asking.ts";
import { problemsOf } from "../../support/lab.ts";
import { roles } from "../../support/roles.ts";
import { workspaceFolder } from "../workspace-folder.ts";
import { callerIn } from "./called.ts";

const { path: folder, remove } = workspaceFolder(roles);
afterAll(remove);
const called = callerIn(folder);

describe("help", () => {
  test("of an operation states what it does, what it takes and an example", async () => {
    const out = await called(await sandboxForTest(), ["review", "setReview"], { help: true });
    for (const part of [
      "Usage: setpoint call review setReview [options]",
      "Posts a review: a message, votes, and comments on files, lines and ranges.",
      "write  POST /changes/{change-id}/revisions/{revision-id}/review",
      "--labels <json>",
      "Votes by label. Not in the API documents:",
      "Example:\n  setpoint call review setReview --change-id 1 --revision-id REVISION_ID",
    ])
      expect(out).toContain(part);
  });

  test("of an operation says what is beyond the API documents without a page that is not installed", () => {
    const rows = roles.flatMap((role) =>
      Object.entries(operationsOf(role)).map(([name, row]) => ({ role, name, row })),
    );
    const helps = rows.map(({ role, name, row }) => operationHelp({ service: role, name, operation: row }, 1_000));
    expect(helps.filter((help) => /not in the API documents: \w/i.test(help)).length).toBeGreaterThan(20);
    expect(helps.filter((help) => help.includes(".md"))).toEqual([]);
  });

  test("of an operation breaks no description within a word on a terminal of 80 columns", () => {
    const rows = roles.flatMap((role) =>
      Object.entries(operationsOf(role)).map(([name, row]) => ({ service: role, name, operation: row })),
    );
    // Only words longer than their column, such as a path, are wider.
    const wide = rows.flatMap((row) => operationHelp(row, 80).split("\n")).filter((line) => line.length > 80);
    expect(wide.filter((line) => / {2}\S+ \S.* \S+$/.test(line) && line.startsWith("  -"))).toEqual([]);
  });

  test("of an operation has its descriptions below the arguments where there is no room beside them", () => {
    const rows = roles.flatMap((role) =>
      Object.entries(operationsOf(role)).map(([name, row]) => ({ service: role, name, operation: row })),
    );
    const lines = rows.flatMap((row) => {
      const help = operationHelp(row, 60);
      return help.slice(help.indexOf("\n  -"), help.indexOf("\nExample:")).split("\n");
    });
    expect(lines.filter((line) => line.length > 60)).toEqual([]);
    const [setting] = rows.filter(({ name }) => name === "setActionsPermissions");
    if (setting === undefined) throw new Error("no row");
    const narrow = operationHelp(setting, 60);
    expect(narrow).toContain("\n  --sha-pinning-required [true|false]\n      Not in the API documents: ");
    expect(narrow).toContain("\n  setpoint call hosting setActionsPermissions \\\n    --org ORG \\\n");
  });

  test("of an operation needs no workspace if the service is given by its role", async () => {
    const sandbox = await sandboxForTest();
    const options = { help: true, workspace: join(folder, "nowhere") };
    expect(await called(sandbox, ["hosting", "getZen"], options)).toContain("setpoint call hosting getZen");
    expect(await problemsOf(called(sandbox, ["github", "getZen"], options))).toMatchObject([{ code: "SP1013" }]);
  });

  test("--list is a table with one line per operation, marking those beyond the API documents", async () => {
    const out = await called(await sandboxForTest(), [], { list: true });
    expect(out).toMatch(/^wiki +getPage +read +GET +\/rest\/api\/content\/\{page-id\}$/m);
    expect(out).toMatch(/^ci +updateJobConfig \+ +write +POST +\/job\/\{job\}\/config\.xml$/m);
    expect(out.split("\n").filter((line) => line.length > 100)).toEqual([]);
    const rows = roles.flatMap((role) => Object.values(operationsOf(role)));
    const documented = rows.filter(({ ext }) => ext === undefined).length;
    expect(out).toContain(`\n${documented} operations of the API documents, and ${rows.length - documented} more (+).`);
  });

  test("--list of a service has only its operations", async () => {
    const sandbox = await sandboxForTest();
    const lines = (await called(sandbox, ["wiki"], { list: true })).trimEnd().split("\n");
    expect(lines).toHaveLength(Object.keys(operationsOf("wiki")).length + 1);
    expect(lines.slice(0, -1).filter((line) => !line.startsWith("wiki "))).toEqual([]);
    expect(await problemsOf(called(sandbox, ["wki"], { list: true }))).toMatchObject([{ code: "SP1009" }]);
  });
});

test("the help of a service lists its operations", async () => {
  const sandbox = await sandboxForTest();
  expect(await called(sandbox, ["wiki"], { help: true })).toBe(await called(sandbox, ["wiki"], { list: true }));
});
