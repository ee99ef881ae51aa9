import { expect, test } from "vitest";
import { loadManifest, mistakes } from "./support/workspace.ts";

/** A lock with further fields in its specification, from line 5 on. */
function lockWith(fields: string): string {
  return `kind: Lock\nspec:\n  project: core\n  branch: main\n${fields}`;
}

test("an unknown field is reported at its name with a suggestion, and not as missing too", async () => {
  expect(await mistakes("kind: Lock\nspec:\n  projekt: core\n  branch: main\n")).toEqual([
    '3:3+7 SP1004 Lock has no field "projekt". Did you mean "project"?',
  ]);
});

test("an unknown field that resembles none has the fields as its hint", async () => {
  expect(await mistakes(lockWith("  limits: { hours: 1, days: 2 }\n"))).toEqual([
    '5:23+4 SP1004 limits has no field "days". | Its fields: hours.',
  ]);
});

test("a missing field is reported at the mapping that lacks it", async () => {
  expect(await mistakes("kind: Lock\nspec:\n  branch: main\n")).toEqual(['2:1+4 SP1003 Lock needs "project".']);
});

test("a field without a value is reported at its name", async () => {
  expect(await mistakes("kind: Lock\nspec:\n  project:\n  branch: main\n")).toEqual([
    '3:3+7 SP1003 "project" has no value.',
  ]);
});

test.each([
  ["  exclusive: yes\n", '5:14+3 SP1002 "yes" is not a boolean: write true or false.'],
  ["  exclusive: 'true'\n", '5:14+6 SP1002 "true" is text, not a boolean: leave out the quotes.'],
  ["  order: '8'\n", '5:10+3 SP1002 "8" is text, not a number: leave out the quotes.'],
  ["  order: many\n", '5:10+4 SP1002 "many" is not a number.'],
  ["  order: 1.5\n", "5:10+3 SP1002 1.5 is not a whole number."],
  ["  order: 0\n", "5:10+1 SP1002 0 is too small: expected at least 1."],
  ["  permissions: push\n", '5:16+4 SP1002 "push" is not a list: put it in [ ].'],
  ["  permissions: []\n", "5:16+2 SP1002 A list is too short: expected at least 1 entry."],
  [
    "  permissions: [push, submt]\n",
    '5:23+5 SP1002 "submt" is not allowed here: write submit, push or pushMerge. Did you mean "submit"?',
  ],
  ["  limits: 3\n", "5:11+1 SP1002 3 is not a mapping. | Write fields below it: hours."],
  ["  limits:\n    hours: x\n", '6:12+1 SP1002 "x" is not a number.'],
  ["  limits: {}\n", '5:3+6 SP1003 limits needs "hours".'],
  ["  limits: { hours: 1, hour: 2 }\n", '5:23+4 SP1004 limits has no field "hour". Did you mean "hours"?'],
  ["  text: 3\n", "5:9+1 SP1002 3 is neither text nor a list."],
  ["  target: { group: a, nested: x }\n", '5:31+1 SP1002 "x" is not a boolean: write true or false.'],
  ["  target: { user: 7 }\n", "5:19+1 SP1002 7 is not text: put it in quotes."],
  ["  target: { grup: a, nested: true }\n", '5:13+4 SP1004 target has no field "grup". Did you mean "group"?'],
])("%j is explained at its place", async (fields, expected) => {
  expect(await mistakes(lockWith(fields))).toEqual([expected]);
});

test("a number in place of text is shown as it is written", async () => {
  expect(await mistakes("kind: Lock\nspec:\n  project: core\n  branch: 2.10\n")).toEqual([
    "4:11+4 SP1002 2.10 is not text: put it in quotes.",
  ]);
});

test("all errors of all documents are reported in one run", async () => {
  const text = "kind: Lock\nspec: { project: c, branch: [] }\n---\nkind: Lok\nspec: {}\n---\nkind: [\n";
  expect((await mistakes(text)).map((mistake) => mistake.split(" ", 2).join(" "))).toEqual([
    "2:18+1 SP1002",
    "2:29+2 SP1002",
    "4:7+3 SP1008",
    "7:7+1 SP1001",
  ]);
});

test("a place shows its line and the one before", async () => {
  const { problems } = await loadManifest("kind: Lock\nspec:\n  projekt: core\n  branch: main\n");
  expect(problems[0]?.place).toEqual({
    file: "m/a.yaml",
    line: 3,
    column: 3,
    length: 7,
    excerpt: ["spec:", "  projekt: core"],
  });
});

test("an excerpt is cut on the right, or left out if the error would be cut off", async () => {
  const wide = `kind: Lock # ${"x".repeat(300)}\nspec: { projekt: core, project: "${"x".repeat(300)}", branch: 1 }\n`;
  const [unknown, branch] = (await loadManifest(wide)).problems;
  expect(unknown?.place?.excerpt?.map((text) => text.length)).toEqual([161, 161]);
  expect(unknown?.place?.excerpt?.[1]?.endsWith("x…")).toBe(true);
  expect(branch?.place).toEqual({ file: "m/a.yaml", line: 2, column: 345, length: 1 });
});

test("neither a message nor an excerpt contains characters that reorder text", async () => {
  const { problems } = await loadManifest("kind: Lock\nspec:\n  project: core\n  branch: main\n  \u202ecba: 1\n");
  expect(problems[0]?.message).toBe('Lock has no field "\\u202ecba".');
  expect(problems[0]?.place?.excerpt?.[1]).toBe("  \u{fffd}cba: 1");
});
