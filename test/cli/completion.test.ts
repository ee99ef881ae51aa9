import { expect, test } from "vitest";
import { completionLines } from "../../src/cli/commands/completion.ts";
import { program } from "../../src/cli/program.ts";
import { hasTerminals, lock, openDesk, workflows } from "../support/commands.ts";
import { hasShell, shellDesk } from "../support/shells.ts";

const manifests = workflows("website", false) + lock("platform/core", "release-2.4");

/** The words offered in place of the last one, after those before it. */
async function wordsAfter(...words: readonly string[]): Promise<readonly (string | undefined)[]> {
  const lines = await completionLines(
    program("", async () => {}),
    words,
  );
  return lines.map((line) => line.split("\t")[0]);
}

test("commands and their options are completed; an option is offered once unless it can be repeated", async () => {
  expect(await wordsAfter("")).toEqual(expect.arrayContaining(["plan", "apply", "completion", "help"]));
  expect(await wordsAfter("va")).toEqual(["validate"]);
  expect(await wordsAfter("help", "va")).toEqual(["validate"]);
  expect(await wordsAfter("plan", "--qui")).toEqual(["--quiet"]);
  expect(await wordsAfter("plan", "--quiet", "--qui")).toEqual([]);
  expect(await wordsAfter("plan", "--kind", "BranchLock", "--ki")).toEqual(["--kind"]);
  expect(await wordsAfter("nonsense", "")).toEqual([]);
  expect(await wordsAfter("help", "plan", "va")).toEqual([]);
});

test("a subcommand is completed once its first letters are typed, and then its own options", async () => {
  expect(await wordsAfter("report", "me")).toEqual(["merge"]);
  expect(await wordsAfter("report", "")).toEqual([":files"]);
  expect(await wordsAfter("report", "plan.json", "me")).toEqual([]);
  expect(await wordsAfter("report", "merge", "--detailed")).toEqual(["--detailed-exitcode"]);
  expect(await wordsAfter("report", "--detailed")).toEqual([]);
  expect(await wordsAfter("report", "merge", "1.json", "")).toEqual([":files"]);
  expect(await wordsAfter("report", "merge", "--report", "mark")).toEqual(["markdown="]);
  expect(await wordsAfter("drift", "--sha")).toEqual(["--shard"]);
  expect(await wordsAfter("plan", "--aff")).toEqual(["--affected"]);
});

test("values are completed from tables: kinds, formats, choices and risks", async () => {
  expect(await wordsAfter("plan", "--kind", "BranchL")).toEqual(["BranchLock"]);
  expect(await wordsAfter("plan", "--kind=BranchL")).toEqual(["--kind=BranchLock"]);
  expect(await wordsAfter("explain", "BranchL")).toEqual(["BranchLock"]);
  expect(await wordsAfter("plan", "--report", "mark")).toEqual(["markdown="]);
  expect(await wordsAfter("plan", "--log", "")).toEqual(["text", "json"]);
  expect(await wordsAfter("completion", "")).toEqual(["bash", "zsh", "fish"]);
  expect(await wordsAfter("apply", "--accept", "widens")).toEqual(["widens-access"]);
});

test("the shell completes files, and nothing is offered if the values are not known", async () => {
  expect(await wordsAfter("validate", "--workspace", "")).toEqual([":files"]);
  expect(await wordsAfter("plan", "--report", "html=pl")).toEqual([":files"]);
  expect(await wordsAfter("apply", "")).toEqual([":files"]);
  expect(await wordsAfter("plan", "--base", "")).toEqual([]);
  expect(await wordsAfter("plan", "")).toEqual([]);
});

test("services, addresses and operations come from the given workspace, and no request is sent", async () => {
  await using desk = await openDesk(manifests);
  const at = ["--workspace", desk.path] as const;
  expect(await wordsAfter("plan", ...at, "--service", "")).toEqual(["review", "hosting", "analysis", "wiki"]);
  expect(await wordsAfter("import", ...at, "wi")).toEqual(["wiki"]);
  const address = "review/BranchLock/platform/core:release-2.4";
  expect(await wordsAfter("plan", ...at, "--only", "review/")).toEqual([address]);
  expect(await wordsAfter("adopt", ...at, "hosting/ActionsPermission/x", "rev")).toEqual([address]);
  expect(await wordsAfter("call", ...at, "wiki", "getPa")).toEqual(expect.arrayContaining(["getPage"]));
  expect(await wordsAfter("call", ...at, "--yes", "wi")).toEqual(["wiki"]);
  expect(desk.sandbox.requests()).toEqual([]);
  expect(await wordsAfter("plan", "--workspace", "/nowhere", "--service", "")).toEqual([]);
  expect(await wordsAfter("call", "--workspace", "/nowhere", "wiki", "")).toEqual([]);
  expect(await wordsAfter("plan", ...at, "--var", "unfinished", "--service", "wi")).toEqual(["wiki"]);
  await desk.write(".setpoint/runs/2026-11-22T080000Z-1a2b.jsonl", "");
  expect(await wordsAfter("revert", ...at, "2026")).toEqual(["2026-11-22T080000Z-1a2b"]);
});

test("a name with characters that a shell could not show is not offered", async () => {
  const group = (name: string) => `---\nkind: AnalysisGroup\nspec: { name: "${name}" }\n`;
  await using desk = await openDesk(group("visible") + group("turned \\u202eround"));
  const offered = await wordsAfter("plan", "--workspace", desk.path, "--only", "");
  expect(offered).toEqual(["analysis/AnalysisGroup/visible"]);
});

test.skipIf(!hasTerminals || !hasShell("bash"))("bash completes and never runs text that it is given", async () => {
  await using desk = await openDesk(workflows("website", false) + lock('"$(touch told)"', "release-2.4"));
  const bash = await shellDesk(desk, "bash");
  const typed = [
    "PS1='> '; source ./completion",
    "setpoint vali\t--var 'a=$(touch typed)' --qui\t",
    "setpoint plan --only hosting/\t--report ma\tout.md",
    // Ctrl-U takes the line away.
    "setpoint plan --only review/\t\u0015ls; exit",
    "",
  ];
  const out = await bash.type("bash --norc --noprofile -i", typed.join("\n"));
  expect(out).toContain('Nothing uses the variable "a".');
  expect(desk.sandbox.requests().map(({ operation }) => operation)).toContain("getActionsPermissions");
  expect(out).toMatch(/^.*\bout\.md\b.*$/m);
  expect(out).not.toMatch(/^(.*\s)?(told|typed)(\s.*)?$/m);
});
