import { lstat, mkdir, readdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { momentText } from "../../src/core/text/moment.ts";
import { type Desk, openDesk, setpoint, temporaryFolder, workflows, workspaceText } from "../support/commands.ts";
import { gitIn } from "../support/git.ts";

test("--report writes each file besides the output, and an unknown format is an error", async () => {
  await using desk = await openDesk(workflows("website", false));
  const formats = ["text", "json", "markdown", "html", "junit", "sarif", "github", "csv"];
  const reports = formats.flatMap((format) => ["--report", `${format}=out.${format}`]);
  const { code, out, err } = await desk.run(["plan", ...reports]);
  expect(code).toBe(0);
  const written = await Promise.all(formats.map((format) => readFile(join(desk.path, `out.${format}`), "utf8")));
  const [text = "", json = "", markdown = "", , , sarif = ""] = written;
  expect(text.replaceAll(desk.sandbox.url, "http://sandbox.example")).toBe(out);
  const version = '"version": "2.1.0"';
  expect([JSON.parse(json).about.command, sarif.includes(version)]).toEqual(["plan", true]);
  expect(written.map((each) => each.split("\n")[0])).toEqual([
    text.split("\n")[0],
    "{",
    "### setpoint plan: 1 change, 0 unknown, 0 in sync.",
    "<!doctype html>",
    '<?xml version="1.0" encoding="UTF-8"?>',
    "{",
    "### setpoint plan: 1 change, 0 unknown, 0 in sync.",
    "address,service,kind,action,verdict,risks,result,problem,place\r",
  ]);
  // The runner reads standard error too, and standard output stays what it was.
  expect(err).toMatch(
    /^::\w+ title=\w+%3A hosting\/ActionsPermission\/\S+,file=manifests\/all.yaml,line=\d+,col=\d+::/m,
  );

  // Every step of a job appends to its summary file.
  await desk.run(["plan", "--report", "github=out.github", "--report", "markdown=out.markdown"]);
  expect(await readFile(join(desk.path, "out.github"), "utf8")).toBe(`${markdown}\n${markdown}\n`);
  expect(await readFile(join(desk.path, "out.markdown"), "utf8")).toBe(markdown);

  const wrong = await desk.run(["plan", "--report", "pdf=a"]);
  expect(wrong.err).toContain(
    "Expected format=file, where format is text, json, markdown, html, junit, sarif, github or csv.",
  );
});

const typo = "kind: ActionsPermission\nspec: { org: meridian-kites, repo: website, enabld: false }\n";

/** A repository with the workspace in a subfolder. */
async function inRepository(desk: Desk): Promise<string> {
  await mkdir(join(desk.path, "tools/manifests"), { recursive: true });
  await mkdir(join(desk.path, ".git"));
  await desk.write("tools/setpoint.yaml", workspaceText(desk.sandbox.url));
  await desk.write("tools/manifests/all.yaml", typo);
  return join(desk.path, "tools");
}

test.each(["validate", "plan", "drift", "apply"])(
  "%s writes the errors that stopped it, at their lines",
  async (command) => {
    await using desk = await openDesk("");
    const workspace = await inRepository(desk);
    const reports = ["sarif", "github", "junit", "markdown", "json", "html", "text", "csv"];
    const files = reports.flatMap((format) => ["--report", `${format}=out.${format}`]);
    const yes = command === "apply" ? ["--yes"] : [];
    const { code, err } = await desk.run([command, ...yes, "--workspace", workspace, ...files]);
    expect(code).toBe(1);
    expect(err).toMatch(/^::error title=SP1004,file=tools\/manifests\/all\.yaml,line=2,col=\d+::/m);
    const [sarif = "", ...others] = await Promise.all(
      reports.map((format) => readFile(join(desk.path, `out.${format}`), "utf8")),
    );
    const { results, automationDetails } = JSON.parse(sarif).runs[0];
    expect(automationDetails.id).toBe(`setpoint/${command}/tools/`);
    expect(results[0].locations[0].physicalLocation).toMatchObject({
      artifactLocation: { uri: "tools/manifests/all.yaml" },
      region: { startLine: 2 },
    });
    for (const text of others) expect(text).toContain("enabld");
  },
);

test("a run that ends early also writes its problem", async () => {
  await using desk = await openDesk(workflows("website", false));
  const { code } = await desk.run(["apply", "gone.json", "--report", "junit=out.xml"]);
  expect(code).toBe(1);
  expect(await readFile(join(desk.path, "out.xml"), "utf8")).toContain('<error type="SP1017"');
});

test("valid manifests give a report without results, so that a host closes its alerts", async () => {
  await using desk = await openDesk(workflows("website", false));
  expect((await desk.run(["validate", "--report", "sarif=out.sarif"])).code).toBe(0);
  expect(JSON.parse(await readFile(join(desk.path, "out.sarif"), "utf8")).runs[0].results).toEqual([]);
});

test("report makes the same reports from a saved plan later, without calling a service", async () => {
  await using desk = await openDesk(workflows("website", false));
  const at = (name: string) => readFile(join(desk.path, name), "utf8");
  const { out } = await desk.run([
    "plan",
    "--out",
    "plan.json",
    "--report",
    "markdown=then.md",
    "--report",
    "junit=then.xml",
  ]);
  const asked = desk.sandbox.requests().length;
  const text = await desk.run(["report", "plan.json"]);
  expect(text.code).toBe(0);
  expect(out).toBe(
    `${text.out}\nSaved until ${momentText(JSON.parse(await at("plan.json")).saved.expires)}: setpoint apply plan.json\n`,
  );
  const later = await desk.run(["report", "plan.json", "--report", "markdown=now.md", "--report", "junit=now.xml"]);
  expect(later).toEqual({ code: 0, out: "", err: "" });
  expect([await at("now.md"), await at("now.xml")]).toEqual([await at("then.md"), await at("then.xml")]);
  expect(desk.sandbox.requests()).toHaveLength(asked);

  const wrong = await desk.run(["report", "setpoint.yaml"]);
  expect(wrong.code).toBe(1);
  expect(wrong.out).toMatch(/^SP1021 {2}setpoint\.yaml: The file is not JSON/);
  const applied = await desk.run(["apply", "setpoint.yaml"]);
  expect(applied.out).toMatch(/^SP1021 {2}setpoint\.yaml: The file is not JSON/);
  const missing = await desk.run(["report", "gone.json"]);
  expect([missing.code, missing.out.startsWith("SP1017")]).toEqual([1, true]);
});

test("an apply writes its outcomes", async () => {
  await using desk = await openDesk(workflows("website", false));
  const applied = await desk.run(["apply", "--yes", "--report", "html=gone/out.html", "--report", "csv=out.csv"]);
  expect(await readFile(join(desk.path, "out.csv"), "utf8")).toMatch(/,"update","\w+","[^"]*","applied",/);
  // A report that cannot be written hides neither the outcomes nor the next report.
  expect(applied.out).toContain("1 applied, 0 failed, 0 skipped.");
  const err = "SP1017  The report cannot be written to gone/out.html: there is no such folder.\n";
  expect({ code: applied.code, err: applied.err }).toEqual({ code: 1, err });
});

test("a report is not written through a link, which a pull request could have made", async () => {
  await using desk = await openDesk(workflows("website", false));
  const own = join(desk.path, "own");
  const replaced = join(desk.path, "plan.xml");
  await desk.write("own", "mine");
  await symlink(own, replaced);
  await symlink(own, join(desk.path, "summary.md"));
  await using outside = await temporaryFolder();
  await outside.write("plan.csv", "mine");
  await symlink(outside.path, join(desk.path, "out"));
  const files = ["junit=plan.xml", "github=summary.md", "csv=out/plan.csv", `json=${outside.path}/plan.json`];
  const { code, err } = await desk.run(["plan", ...files.flatMap((file) => ["--report", file])]);
  expect(code).toBe(1);
  expect(err).toContain("The report cannot be written to summary.md");
  expect(err).toContain("The report cannot be written to out/plan.csv: its folder is reached through a link.");
  expect(await readFile(join(outside.path, "plan.csv"), "utf8")).toBe("mine");
  expect((await lstat(join(outside.path, "plan.json"))).isFile()).toBe(true);
  expect(await readFile(own, "utf8")).toBe("mine");
  expect((await lstat(replaced)).isFile()).toBe(true);
});

test.for([
  ["plan", "--out", "out/plan.csv"],
  ["drift", "--metrics", "out/plan.csv"],
  ["drift", "--history", "out/new/history"],
  ["plan", "--out", "/out/plan.csv"],
  ["drift", "--history", "own"],
] as const)("%s writes nothing for %s through a link at %s, which a pull request could have made", async (words) => {
  await using desk = await openDesk(workflows("website", false));
  await using outside = await temporaryFolder();
  await outside.write("plan.csv", "mine");
  await symlink(outside.path, join(desk.path, "out"));
  await mkdir(join(desk.path, "own"));
  await symlink(join(outside.path, "plan.csv"), join(desk.path, "own/drift.jsonl"));
  gitIn(desk.path, "init", "--quiet");
  const [command, option, place] = words;
  // A pipeline can also name the place from its root.
  const { code, out, err } = await desk.run([command, option, place.replace(/^(?=\/)/, desk.path)]);
  expect(code).toBe(command === "plan" ? 1 : 2);
  expect(`${out}${err}`).toMatch(/its\s+folder\s+is\s+reached\s+through\s+a\s+link|"own" cannot be kept: it is a link/);
  expect(await readdir(outside.path)).toEqual(["plan.csv"]);
  expect(await readFile(join(outside.path, "plan.csv"), "utf8")).toBe("mine");
});

test("an HTML page that cannot be made hides neither the outcomes of an apply nor the next report", async () => {
  await using desk = await openDesk(workflows("website", false));
  await desk.write(
    "missing.cjs",
    `const files = require("node:fs/promises");
     const { readFile } = files;
     files.readFile = async (path, ...more) => readFile(String(path).endsWith("shell.html") ? "/nowhere" : path, ...more);
     require("node:module").syncBuiltinESMExports();`,
  );
  const { code, out, err } = await desk.run(
    ["apply", "--yes", "--report", "html=out.html", "--report", "csv=out.csv"],
    { NODE_OPTIONS: `--require ${desk.path}/missing.cjs` },
  );
  expect({ code, err }).toEqual({
    code: 1,
    err: expect.stringMatching(
      /^SP1017 {2}The page of the HTML report is missing: .* In a checkout, run npm run build\..*\n$/,
    ),
  });
  expect(out).toContain("1 applied, 0 failed, 0 skipped.");
  expect(await readFile(join(desk.path, "out.csv"), "utf8")).toContain(',"applied",');
});

test("text in a manifest never becomes a command in a log: not in text, not in JSON, not on standard error", async () => {
  await using desk = await openDesk('kind: "##vso[task.complete]"\n---\nkind: "a\\n::set-env name=PATH::/tmp"\n');
  const text = await desk.run(["validate"]);
  const json = await desk.run(["validate", "--json"]);
  const unknown = await desk.run(["plan", "--##vso[task.complete]"]);
  for (const { out, err } of [text, json, unknown]) expect(`${out}${err}`).not.toMatch(/##\w*\[|^\s*::/m);
  expect(text.out).toContain("\\u{23}\\u{23}vso[task.complete]");
  expect(JSON.stringify(JSON.parse(json.out))).toContain("##vso[task.complete]");
  expect(unknown.err).toContain("vso[task.complete]");
});

test("fifty errors are shown and the others counted; the workspace can set another number", async () => {
  const manifests = Array.from({ length: 70 }, (_none, index) => `kind: K${index}\nspec: {}\n---\n`).join("");
  await using desk = await openDesk(manifests);
  const shown = (out: string) => out.split("SP1008").length - 1;
  const { out } = await desk.run(["validate"]);
  expect(out).toMatch(/^… and 20 more, in manifests\/all\.yaml\. --json has all\.$/m);
  expect([shown(out), out.includes("70 errors")]).toEqual([50, true]);
  await using other = await openDesk(manifests, { settings: "limits: { errors: 60 }\n" });
  expect(shown((await other.run(["plan"])).out)).toBe(60);
});

test("every command of docs/reports.md runs and writes the files that it names", async () => {
  await using desk = await openDesk(workflows("website", false));
  const page = await readFile("docs/reports.md", "utf8");
  const commands = [...page.matchAll(/^setpoint (.*)$/gm)].map(([, line = ""]) => line);
  expect(commands).toHaveLength(4);
  for (const line of commands) {
    const words = line.replace('"$GITHUB_STEP_SUMMARY"', "summary.md").split(" ");
    expect((await desk.run(words)).code).toBe(0);
    for (const [, file = ""] of line.matchAll(/=([\w.]+)/g)) await readFile(join(desk.path, file), "utf8");
  }
  expect(await readFile(join(desk.path, "summary.md"), "utf8")).toContain("### setpoint plan");
});

test("a file that does not exist is reported in plain words", async () => {
  expect(await setpoint(["report", "nope.json"])).toEqual({
    code: 1,
    out: "SP1017  The file nope.json cannot be read: there is no such file.\nNo report was made.\n",
    err: "",
  });
});

test("what could not be written is said after the plan, however long that is", async () => {
  await using desk = await openDesk(workflows("website", false));
  const within = ["sh", "-c", 'exec "$0" "$@" 2>&1'];
  const options = { cwd: desk.path, env: desk.env, within };
  expect(await setpoint(["plan", "--report", "html=nowhere/plan.html"], options)).toMatchObject({
    code: 1,
    out: expect.stringMatching(
      /Apply would make 1 call.*\nSP1017 {2}The report cannot be written to nowhere\/plan\.html: there is no such folder\.\n$/s,
    ),
  });
});
