import { existsSync, readdirSync } from "node:fs";
import { mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { expect, test } from "vitest";
import { ProblemError } from "../../src/core/problem.ts";
import { writeManifests } from "../../src/engine/import.ts";
import { type Desk, openDesk, setpoint, temporaryFolder, workflows } from "../support/commands.ts";

const rule = { group: "global:Registered-Users", action: "ALLOW", force: false } as const;

/** Imports the users of the analysis service in this process. */
async function importUsers(desk: Desk, out?: string): Promise<void> {
  const options = { kinds: ["AnalysisUser"], ...(out === undefined ? {} : { out }) };
  const importing = await desk.open().importFrom("analysis", options);
  if (importing.is === "wrong") throw new ProblemError(...importing.problems);
  importing.write();
}

test("writes one file per kind with what no manifest declares; a plan is then empty", async () => {
  await using desk = await openDesk(workflows("website", true));
  const { code, out } = await desk.run(["import", "analysis"]);
  expect([code, out]).toEqual([0, expect.stringMatching(/^ {2}\+ AnalysisBuildRetention|^ {2}\+ Analysis/)]);
  expect(out).toMatch(/[0-9]+ resources in [0-9]+ files with [0-9]+ reads\.\n$/);
  const planned = await desk.open().plan({ service: ["analysis"] });
  expect(planned).toMatchObject({ is: "planned", plan: { changes: [], unknown: [] } });
});

test("splits what is too large for one file, so that a plan reads all of it", async () => {
  await using desk = await openDesk(workflows("website", true));
  desk.sandbox.change(({ analysis: { users } }) => {
    for (let at = 0; at < 2500; at++) users.push({ name: `${at}-${"x".repeat(150)}`, readonly: false });
  });
  const { code, out } = await desk.run(["import", "analysis", "--kind", "AnalysisUser", "--json"]);
  const files: readonly { readonly file: string; readonly resources: number }[] = JSON.parse(out).files;
  expect([code, files.map(({ file }) => file)]).toEqual([
    0,
    ["", "-2", "-3"].map((part) => `manifests/analysis/AnalysisUser${part}.yaml`),
  ]);
  expect(files.reduce((sum, { resources }) => sum + resources, 0)).toBe(desk.sandbox.state().analysis.users.length);
  const planned = await desk.open().plan({ kind: ["AnalysisUser"] });
  expect(planned).toMatchObject({ is: "planned", plan: { changes: [], unknown: [] } });
});

test("leaves secrets out and says so, names the schema, and escapes text that looks like a placeholder", async () => {
  await using desk = await openDesk(workflows("website", true));
  desk.sandbox.change(({ analysis }) => analysis.users.push({ name: "${var.x} & co", readonly: false }));
  await importUsers(desk, "found");
  const text = await readFile(join(desk.path, "found/AnalysisUser.yaml"), "utf8");
  expect(text).toMatch(/^# yaml-language-server: \$schema=.*manifest\.schema\.json\n/);
  expect(text).toMatch(/name: "?\$\$\{var\.x\} & co/);
  expect(text).toContain("# password: not imported, because a secret cannot be read.");
});

test("writes only what can be read again, and names what no manifest can declare", async () => {
  await using desk = await openDesk(workflows("website", true));
  const odd = "it\u0092s\u007f, \ufeffhere:\u2028\u202e\u0000 # \t'\"\\ ${x} ";
  desk.sandbox.change(({ analysis: { users, views } }) => {
    users.push({ name: "a\tb", readonly: false }, { name: "\ufeff\u202eb", readonly: false });
    users.push({ name: "cut\ud83d", readonly: false }, { name: "a\\ud83d", readonly: false });
    views.push(...views.map((view) => ({ ...view, id: view.id + 900, name: "odd", query: odd })).slice(0, 1));
    views.push(...views.map((view) => ({ ...view, id: view.id + 901, name: "long", query: "a\nb" })).slice(0, 1));
  });
  const { code, out } = await desk.run(["import", "analysis", "--json"]);
  expect([code, JSON.parse(out).problems]).toMatchObject([
    3,
    [
      { code: "SP1020", message: 'The key "a\\tb" contains a control character or a line break.' },
      { code: "SP1020", message: "No manifest can declare it: its text contains half of a surrogate pair." },
      { code: "SP1020", message: "No manifest can declare it: query: expected a query on one line." },
    ],
  ]);
  const planned = await desk.open().plan({ service: ["analysis"] });
  expect(planned).toMatchObject({ is: "planned", plan: { changes: [], unknown: [] } });
});

test("overwrites nothing and does not import again what is declared", async () => {
  await using desk = await openDesk(workflows("website", true));
  await importUsers(desk, "elsewhere");
  const again = await desk.run(["import", "analysis", "--kind", "AnalysisUser", "--out", "elsewhere"]);
  expect(again).toMatchObject({ code: 1, out: expect.stringContaining("already exists") });
  await importUsers(desk);
  const declared = await desk.run(["import", "analysis", "--kind", "AnalysisUser", "--out", "more", "--json"]);
  expect(JSON.parse(declared.out)).toMatchObject({ version: 1, files: [], reads: 1, problems: [] });
});

test("says that it is the folder which is missing if a file has its name", () => {
  const manifest = { kind: "AnalysisUser", file: "import.test.ts/AnalysisUser.yaml", text: "", resources: 1 };
  expect(() => writeManifests(import.meta.dirname, [manifest])).toThrow(
    "import.test.ts/AnalysisUser.yaml cannot be written: there is no such folder.",
  );
});

test("imports nothing through a link, which no plan follows", async () => {
  await using folder = await temporaryFolder();
  await folder.write("manifests/a.yaml", "");
  await symlink("manifests", join(folder.path, "link"));
  for (const out of ["link", "link/more"]) {
    const manifest = { kind: "AnalysisUser", file: `${out}/AnalysisUser.yaml`, text: "", resources: 1 };
    expect(() => writeManifests(folder.path, [manifest])).toThrow(
      `${manifest.file} cannot be written: it is reached through a link`,
    );
    expect(existsSync(join(folder.path, manifest.file))).toBe(false);
  }
});

test("says if no plan reads what was imported, because no glob of the workspace finds it", async () => {
  await using desk = await openDesk(workflows("website", true));
  const { code, out } = await desk.run(["import", "analysis", "--kind", "AnalysisUser", "--out", "found"]);
  expect([code, out]).toEqual([
    0,
    expect.stringContaining(
      "\n  No plan reads what is in found, because no glob finds it: add found/*.yaml to manifests in the\n    workspace file.\n",
    ),
  ]);
  expect((await desk.run(["import", "analysis"])).out).not.toContain("No plan reads");
});

test.each([".git/found", ".setpoint"])(
  "reads nothing and writes nothing for %s, where no glob finds anything",
  async (out) => {
    await using desk = await openDesk(workflows("website", true));
    expect(await desk.open().importFrom("analysis", { out })).toMatchObject({
      is: "wrong",
      problems: [{ code: "SP1017", message: `No glob finds what is in ${out}.` }],
    });
    expect(desk.sandbox.requests()).toEqual([]);
  },
);

test("writes to an absolute folder, in the workspace or outside of it, and names the files as from the workspace", async () => {
  await using desk = await openDesk(workflows("website", true));
  const outside = await mkdtemp(join(tmpdir(), "setpoint-import-"));
  try {
    for (const out of [outside, join(desk.path, "manifests/below")]) {
      const run = await desk.run(["import", "analysis", "--kind", "AnalysisUser", "--out", out, "--json"]);
      expect(JSON.parse(run.out).files).toMatchObject([{ file: join(relative(desk.path, out), "AnalysisUser.yaml") }]);
      expect(readdirSync(out)).toEqual(["AnalysisUser.yaml"]);
    }
  } finally {
    await rm(outside, { recursive: true });
  }
});

test("leaves no manifest behind if one cannot be written, so that it can be repeated", async () => {
  await using desk = await openDesk(workflows("website", true));
  const { code, out } = await setpoint(["import", "analysis", "--out", "found"], {
    cwd: desk.path,
    // Files of at most one block of 512 bytes.
    env: { ...desk.env, NODE_COMPILE_CACHE: undefined },
    within: ["sh", "-c", 'ulimit -f 1; exec "$@"', "sh"],
  });
  expect(code).toBe(1);
  expect(out).toMatch(/^SP1017 {2}found\/Analysis\w+\.yaml cannot be written: EFBIG\.\n/);
  expect(readdirSync(join(desk.path, "found"))).toEqual([]);
});

test.each([
  [["import", "analyses"], 'Did you mean "analysis"?'],
  [["import", "analysis", "--kind", "AnalysisUsr"], 'Did you mean "AnalysisUser"?'],
])("setpoint %j is refused with a suggestion", async (args, words) => {
  await using desk = await openDesk(workflows("website", true));
  expect(await desk.run(args)).toMatchObject({ code: 1, out: expect.stringContaining(words) });
  expect(desk.sandbox.requests()).toEqual([]);
});

test("names what cannot be listed and imports the rest", async () => {
  await using desk = await openDesk(workflows("website", true));
  const { code, out } = await desk.run(["import", "wiki"]);
  expect([code, out]).toEqual([0, expect.stringContaining("The service cannot list")]);
});

test("names rules that no manifest can declare, and imports the rest", async () => {
  await using desk = await openDesk(workflows("website", true));
  desk.sandbox.change(({ review }) => {
    const project = review.projects["platform/core"];
    // An older server accepted the pattern, which also matches no name of a ref.
    if (project !== undefined) project.access["^refs/heads/.*"] = { push: { exclusive: false, rules: [rule] } };
  });
  const { code, out } = await desk.run(["import", "review", "--kind", "AccessRule"]);
  expect([code, out]).toEqual([
    3,
    expect.stringContaining("SP1020  No manifest can declare these rules: ref: expected"),
  ]);
  expect(out).toContain("Resource: review/AccessRule/platform/core:^refs/heads/.*:push");
  expect(out).toContain("These were left out.");
  expect(out).toMatch(/\+ AccessRule +[0-9]+ {2}manifests\/review\/AccessRule\.yaml/);
});

test("imports nothing while a manifest has an error: what it declares would be imported a second time", async () => {
  await using desk = await openDesk("kind: AnalysisUser\nspec: { nane: kai }\n");
  const { code, out } = await desk.run(["import", "analysis", "--kind", "AnalysisUser"]);
  expect({ code, out }).toEqual({ code: 1, out: expect.stringContaining("Nothing was written.\n") });
  expect(existsSync(join(desk.path, "manifests/analysis"))).toBe(false);
  expect(desk.sandbox.requests()).toEqual([]);
});

test("an unknown service, or a kind that the service does not have, is an error", async () => {
  await using desk = await openDesk("");
  const workspace = desk.open();
  for (const [importing, code] of [
    [workspace.importFrom("nope"), "SP1009"],
    [workspace.importFrom("review", { kinds: ["WikiPage"] }), "SP1008"],
  ] as const)
    expect(await importing).toMatchObject({ is: "wrong", problems: [{ code }] });
});
