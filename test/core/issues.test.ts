import { expect, test } from "vitest";
import { z } from "zod";
import { describeIssues, mistakesOf, named, unshown } from "../../src/core/issues.ts";

const Rule = z.strictObject({
  group: z.string(),
  order: z.int().min(1).optional(),
  color: z.enum(["red", "green"]).optional(),
  to: z.union([z.strictObject({ file: z.string() }), z.strictObject({ command: z.array(z.string()) })]).optional(),
});
const Sheet = z.strictObject({ rules: z.array(Rule).min(1) });

function sentences(input: unknown, fields: readonly string[] = []) {
  const subject = { ...unshown(input, named("The sheet")), fieldsAt: () => fields };
  return mistakesOf(subject, Sheet.safeParse(input).error?.issues ?? []).map(({ is, sentence }) => [is, sentence]);
}

test.each([
  [{}, "missing", 'The sheet needs "rules".'],
  [3, "wrong", "The sheet is not a mapping."],
  [{ rules: [] }, "wrong", "rules is too short: expected at least 1 entry."],
  [{ rules: [{}] }, "missing", 'rules[0] needs "group".'],
  [{ rules: [{ group: "a", order: 0 }] }, "wrong", "rules[0].order is too small: expected at least 1."],
  [{ rules: [{ group: "a", color: "rde" }] }, "wrong", "rules[0].color is not red or green."],
  [{ rules: [{ group: "a", size: 1 }] }, "unknown", 'rules[0] has no field "size".'],
  [{ rules: [{ group: "a", to: { command: "cat" } }] }, "wrong", "rules[0].to.command is not a list."],
  [{ rules: [{ group: "a", to: 3 }] }, "wrong", "rules[0].to is not a mapping."],
])("%j in one sentence", (input, is, sentence) => {
  expect(sentences(input)).toEqual([[is, sentence]]);
});

test("a misspelt name is not missing too", () => {
  expect(sentences({ rulse: [] }, ["rules"])).toEqual([
    ["unknown", 'The sheet has no field "rulse". Did you mean "rules"?'],
  ]);
});

test("no value is shown, because it may be a secret", () => {
  const input = { rules: [{ group: "a", color: "hunter2", order: "hunter2" }] };
  expect(describeIssues(Sheet.safeParse(input).error?.issues ?? [], input, "the answer")).toBe(
    "rules[0].order is not a number; rules[0].color is not red or green",
  );
});
