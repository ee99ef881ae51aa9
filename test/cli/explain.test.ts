import { readFileSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { explain, renderExplained } from "../../src/cli/commands/explain.ts";
import { everyCode, findCode, problemGuide, renderCode, renderCodes } from "../../src/cli/commands/explain-code.ts";
import { program } from "../../src/cli/program.ts";
import { ProblemCode, problemCodes } from "../../src/core/problem.ts";
import { isObject } from "../../src/core/text/json.ts";
import { fieldRows } from "../../src/manifests/shape/fields.ts";
import { kinds } from "../../src/reconcilers/registry.ts";
import { displayWidth } from "../../src/reports/text/layout.ts";
import { rule, sign } from "../scripts/fake-kinds.ts";
import { setpoint } from "../support/commands.ts";
import { problemsOf } from "../support/lab.ts";

const whole = (kind: typeof sign, example?: string) => ({
  kind,
  fields: fieldRows(kind.spec),
  field: undefined,
  example,
});

describe("explain", () => {
  test("shows summary, budget, fields, notes, example and page of a kind", () => {
    expect(renderExplained(whole(sign, "kind: Sign"), { width: 60, color: false })).toMatchInlineSnapshot(`
      "Sign  (wiki)
      A sign | with a pipe.

      Reads   1 getPage per page
      Writes  1 updatePage per page

      Fields of spec
        name  text; required
            What it says.
        color  red, green; default red
            How it looks.
        height  whole number; optional
            In metres.
        lit  true, false; optional
        password  reference to a secret: \${env:NAME},
            \${file:path}; optional
            Opens the box.
        words  list of text; optional
        parts  list of mappings; optional
        parts[].material  text; required
        labels  mapping to text; optional
        place  text or mapping; optional
        place.street  text; required

      Notes
        Signs are read from left to right.

      Example (examples/kinds/Sign.yaml)

      kind: Sign

      See also docs/manifests.md"
    `);
  });

  test("says that a kind without writes is only checked and that a permanent one stays", () => {
    const text = renderExplained(whole(rule), { width: 60, color: false });
    expect(text).toContain("Writes  none. It is only checked: a difference needs a\n        person.\nStays   ");
  });

  test("a kind is shown with its example file, unchanged", async () => {
    const { code, out, err } = await setpoint(["explain", "BranchLock"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toContain(readFileSync("examples/kinds/BranchLock.yaml", "utf8"));
    expect(out).toContain("  permissions  list of submit, push, pushMerge,");
  });

  test("--json has every field with type, default and whether it is required", async () => {
    const { out } = await setpoint(["explain", "AccessRule", "--json"]);
    const explained: unknown = JSON.parse(out);
    expect(explained).toMatchObject({
      version: 1,
      kind: "AccessRule",
      role: "review",
      assertion: false,
      docs: "docs/kinds/AccessRule.md",
      example: expect.stringContaining("kind: AccessRule"),
    });
    expect(isObject(explained) ? explained.fields : []).toContainEqual({
      name: "rules[].action",
      type: "ALLOW, DENY, BLOCK, INTERACTIVE, BATCH",
      required: false,
      default: "ALLOW",
      description: "Effect of the rule.",
    });
  });

  test("what only one form of a mapping requires is not shown as required", async () => {
    const { out } = await setpoint(["explain", "AccessToken.deliver"]);
    expect(out.match(/(?<=^ {2}deliver\.).*/gm)).toEqual([
      "file  text; required in this form",
      "dotenv  text; required in this form",
      "name  text; required in this form",
      "command  list of text; required in this form",
      "check  list of text; required in this form",
    ]);
  });

  test("a field is shown with the fields below it, with or without list brackets in its path", async () => {
    const { code, out } = await setpoint(["explain", "AccessRule.rules[]"]);
    expect(code).toBe(0);
    expect(out.match(/^ {2}\S+/gm)?.map((name) => name.trim())).toEqual([
      "rules",
      "rules[].group",
      "rules[].action",
      "rules[].force",
      "rules[].min",
      "rules[].max",
    ]);
    expect(await setpoint(["explain", "AccessRule.rules"])).toEqual({ code, out, err: "" });
  });

  test.each([
    [
      "AcessRule",
      'SP1008  There is no kind "AcessRule". Did you mean "AccessRule"?',
      "setpoint kinds lists every kind.",
    ],
    [
      "AccessRule.rules.grup",
      'SP1004  AccessRule.rules has no field "grup". Did you mean "group"?',
      "has group, action",
    ],
    ["AccessRule.ruls.group", 'SP1004  AccessRule has no field "ruls". Did you mean "rules"?', "has project, ref"],
    ["AccessRule.project.x", 'SP1004  AccessRule.project has no field "x".', "AccessRule.project has no fields."],
  ])("%s is an error that suggests what was meant", async (subject, message, hint) => {
    const problems = await problemsOf(explain(subject, { json: false, color: false }));
    expect(problems.map((problem) => `${problem.code}  ${problem.message}`)).toEqual([message]);
    expect(problems[0]?.hint).toContain(hint);
  });

  test("a kind that does not exist exits with 1 and a hint", async () => {
    const { code, out } = await setpoint(["explain", "AcessRule"]);
    expect({ code, out }).toEqual({ code: 1, out: expect.stringContaining('Did you mean "AccessRule"?') });
    expect(out).toContain("setpoint kinds lists every kind.");
  });

  test("every kind fits into 80 and 120 columns, and colour only repeats what the words say", () => {
    for (const kind of kinds.values())
      for (const width of [80, 120]) {
        const text = renderExplained(whole(kind), { width, color: false });
        expect(text.split("\n").filter((line) => displayWidth(line) > width)).toEqual([]);
        expect(stripVTControlCharacters(renderExplained(whole(kind), { width, color: true }))).toBe(text);
      }
  });
});

describe("explain for a problem code", () => {
  test("shows what a code means, why it happens, an example, what to do and the exit code", async () => {
    const { code, out } = await setpoint(["explain", "sp1013"], { env: { COLUMNS: "80" } });
    expect(code).toBe(0);
    expect(out).toMatchInlineSnapshot(`
      "SP1013  The workspace file, or a file that it names, is missing.

      Why
        setpoint runs in a folder other than the workspace's, a glob matches no file,
        a manifest has a file extension that no glob matches, or a named file does not
        exist.

      Example
        setpoint.yaml:1:1  SP1013  The file cannot be read: there is no such file.

      What to do
        Change to the folder of setpoint.yaml, or name it with --workspace; correct
        the glob or the name.

      Exit code
        1
      "
    `);
  });

  test("every code is explained in full sentences that fit into 80 columns", () => {
    expect(Object.keys(problemGuide).sort()).toEqual(Object.keys(problemCodes).sort());
    expect(everyCode().map(({ code }) => code)).toEqual(ProblemCode.options.toSorted());
    for (const one of everyCode()) {
      for (const text of [one.title, one.why, one.remedy]) expect(text, one.code).toMatch(/^\S.*\S\.$/);
      for (const text of [one.example, one.exit]) expect(text, one.code).toMatch(/^\S(.*\S)?$/);
      const lines = renderCode(one, { width: 80, color: false }).split("\n");
      expect(lines.filter((line) => displayWidth(line) > 80)).toEqual([]);
    }
    const list = renderCodes(everyCode(), { width: 120, color: false });
    for (const code of ProblemCode.options) expect(list).toContain(`${code}  ${problemCodes[code]}`);
  });

  test("every command, option and kind that a remedy names exists", () => {
    const commands = program("", async () => {}).commands;
    const options = new Set(commands.flatMap((command) => command.options.flatMap(({ long }) => long ?? [])));
    for (const { code, remedy } of everyCode()) {
      for (const [, name = ""] of remedy.matchAll(/\bsetpoint ([a-z]+)/g))
        expect([code, commands.some((command) => command.name() === name)]).toEqual([code, true]);
      for (const [option] of remedy.matchAll(/--[a-z][a-z-]+/g))
        expect([code, option, option === "--help" || options.has(option)]).toEqual([code, option, true]);
    }
  });

  test("a code that does not exist is an error that suggests the nearest one", async () => {
    const [problem] = await problemsOf((async () => findCode("SP1113"))());
    expect(problem).toMatchObject({
      message: 'There is no code "SP1113". Did you mean "SP1013"?',
      hint: "setpoint explain problems lists every code.",
    });
  });

  test("docs/problems.md has a heading and a row for every code", () => {
    const page = readFileSync("docs/problems.md", "utf8");
    for (const code of ProblemCode.options) {
      expect(page).toContain(`\n## ${code}\n`);
      expect(page).toContain(`| [${code}](#${code.toLowerCase()})`);
    }
  });
});
