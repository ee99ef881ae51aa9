import { readFileSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { explain, renderExplained } from "../../src/cli/commands/explain.ts";
import { isObject } from "../../src/core/json.ts";
import { fieldRows } from "../../src/manifests/shape/fields.ts";
import { kinds } from "../../src/reconcilers/registry.ts";
import { displayWidth } from "../../src/reports/layout.ts";
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
  test("shows summary, budget, fields, notes, example and the page of a kind", () => {
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

      Docs: docs/kinds/Sign.md
      Metadata and placeholders: docs/manifests.md"
    `);
  });

  test("says of a kind without writes that it is only checked, of a permanent one that it stays", () => {
    const text = renderExplained(whole(rule), { width: 60, color: false });
    expect(text).toContain("Writes  none. It is only checked: a difference needs a\n        person.\nStays   ");
  });

  test("a kind is explained with its example as it is", async () => {
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

  test("a field, with or without the marks of its lists, is shown with those below it", async () => {
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
  ])("%s is a mistake that says what is meant", async (subject, message, hint) => {
    const problems = await problemsOf(explain(subject, { json: false, color: false }));
    expect(problems.map((problem) => `${problem.code}  ${problem.message}`)).toEqual([message]);
    expect(problems[0]?.hint).toContain(hint);
  });

  test("a kind that does not exist exits with 1 and the hint", async () => {
    const { code, out } = await setpoint(["explain", "AcessRule"]);
    expect({ code, out }).toEqual({ code: 1, out: expect.stringContaining('Did you mean "AccessRule"?') });
    expect(out).toContain("setpoint kinds lists every kind.");
  });

  test("every kind fits into 80 and 120 columns, and colour only repeats", () => {
    for (const kind of kinds.values())
      for (const width of [80, 120]) {
        const text = renderExplained(whole(kind), { width, color: false });
        expect(text.split("\n").filter((line) => displayWidth(line) > width)).toEqual([]);
        expect(stripVTControlCharacters(renderExplained(whole(kind), { width, color: true }))).toBe(text);
      }
  });
});
