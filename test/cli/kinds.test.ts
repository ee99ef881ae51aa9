import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { kindFacts, renderKinds } from "../../src/cli/commands/kinds.ts";
import { kinds } from "../../src/reconcilers/registry.ts";
import { displayWidth } from "../../src/reports/text/layout.ts";
import { rule, sign } from "../scripts/fake-kinds.ts";
import { setpoint } from "../support/commands.ts";

test("kinds lists every kind with its summary, grouped by role", () => {
  const out = renderKinds([...kinds.values()], { width: 100, color: false });
  expect(out).toMatch(
    /^review \(gerrit\)\n {2}AccessRule .*\n {2}BranchLock {2,}A branch that nobody may submit or push to\.\n/m,
  );
  for (const { kind } of kinds.values()) expect(out).toMatch(new RegExp(`^[ ×] ${kind} `, "m"));
  expect(out).toContain(`${kinds.size} kinds.`);
});

test("kinds --json has the role, summary and request budget of every kind, and whether it is an assertion", async () => {
  const { code, out, err } = await setpoint(["kinds", "--json"]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(JSON.parse(out)).toEqual({
    version: 1,
    kinds: [...kinds.values()].map(({ kind, role, summary, budget, compile, permanent }) => ({
      kind,
      role,
      summary,
      reads: budget.reads,
      writes: compile === undefined ? null : budget.writes,
      assertion: compile === undefined,
      permanent: permanent === true,
    })),
  });
});

test("an assertion has no writes", () => {
  expect(kindFacts(rule)).toMatchObject({ assertion: true, writes: null, permanent: true });
  expect(kindFacts(sign)).toMatchObject({ assertion: false, writes: "1 updatePage per page", permanent: false });
});

test("a kind that is only checked has a mark that a line below explains", () => {
  expect(renderKinds([rule, sign], { width: 80, color: false })).toBe(`wiki (confluence)
× Rule  A rule.
  Sign  A sign | with a pipe.

2 kinds. × is only checked: a difference needs a person. setpoint explain <Kind>
shows its fields.`);
  expect(renderKinds([rule], { width: 80, color: false, unicode: false })).toContain("x Rule");
});

test.each([40, 80, 120])("no line is wider than %d columns, and columns are aligned", (width) => {
  const lines = renderKinds([...kinds.values()], { width, color: false }).split("\n");
  expect(lines.filter((line) => displayWidth(line) > width)).toEqual([]);
  const starts = lines.flatMap((line) => /^ {2}\w+ {2,}(?=\S)/.exec(line)?.[0].length ?? []);
  expect(new Set(starts).size).toBe(1);
});

test("colour only repeats what the words say", () => {
  const plain = renderKinds([rule, sign], { width: 80, color: false });
  const painted = renderKinds([rule, sign], { width: 80, color: true });
  expect(painted).not.toBe(plain);
  expect(stripVTControlCharacters(painted)).toBe(plain);
});
