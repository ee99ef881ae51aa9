import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Duration } from "../../src/core/text/duration.ts";
import {
  describeIssues,
  type IssueSubject,
  mistakesOf,
  named,
  pathText,
  refusalOf,
  type SchemaIssue,
  unshown,
} from "../../src/core/text/issues.ts";

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
  [undefined, "missing", "The sheet needs a value."],
])("%j is described in one sentence", (input, is, sentence) => {
  expect(sentences(input)).toEqual([[is, sentence]]);
});

test("a misspelt field is not reported as missing too", () => {
  expect(sentences({ rulse: [] }, ["rules"])).toEqual([
    ["unknown", 'The sheet has no field "rulse". Did you mean "rules"?'],
  ]);
});

test("no value is shown, because it might be a secret", () => {
  const input = { rules: [{ group: "a", color: "hunter2", order: "hunter2" }] };
  expect(describeIssues(Sheet.safeParse(input).error?.issues ?? [], input, "the answer")).toBe(
    "rules[0].order is not a number; rules[0].color is not red or green",
  );
});

/** The description of a value that can be shown, as `It`. */
function said(schema: z.ZodType, value: unknown, more: Partial<IssueSubject> = {}): readonly string[] {
  const subject: IssueSubject = { nameOf: named("It"), valueAt: () => ({ found: true, words: "It", value }), ...more };
  return saidOf(subject, schema.safeParse(value).error?.issues ?? []);
}

function saidOf(subject: IssueSubject, issues: readonly SchemaIssue[]): readonly string[] {
  return mistakesOf(subject, issues).map(({ sentence }) => sentence);
}

describe("an invalid value is described together with what to write instead:", () => {
  test.each([
    [z.string(), 3, "It is not text: put it in quotes."],
    [z.string(), null, "It is not text: put it in quotes."],
    [z.string(), ["a"], "It is not text."],
    [z.array(z.string()), "a", "It is not a list: put it in [ ]."],
    [z.array(z.string()), null, "It is not a list: put it in [ ]."],
    [z.array(z.string()), { a: 1 }, "It is not a list."],
    [z.tuple([z.string()]), 3, "It is not a list: put it in [ ]."],
    [z.boolean(), "true", "It is text, not a boolean: leave out the quotes."],
    [z.boolean(), "false", "It is text, not a boolean: leave out the quotes."],
    [z.boolean(), "yes", "It is not a boolean: write true or false."],
    [z.boolean(), 1, "It is not a boolean: write true or false."],
    [z.number(), "1.5", "It is text, not a number: leave out the quotes."],
    [z.number(), " ", "It is not a number."],
    [z.number(), "one", "It is not a number."],
    [z.number(), true, "It is not a number."],
    [z.int(), "2", "It is text, not a number: leave out the quotes."],
    [z.int(), 2.5, "It is not a whole number."],
    [z.object({}), "a", "It is not a mapping."],
    [z.record(z.string(), z.int()), 3, "It is not a mapping."],
    [z.date(), "2026-11-22", "It is not date."],
    [z.never(), "a", "It is not never."],
    [z.union([z.literal("none"), z.int()]), {}, 'It is neither "none" nor a number.'],
    [z.union([z.string(), z.array(z.string())]), 3, "It is neither text nor a list."],
    [z.union([z.int(), z.number(), z.string()]), true, "It is neither a number nor text."],
    [z.enum(["red", "green"]), "gren", 'It is not allowed here: write red or green. Did you mean "green"?'],
    [z.enum(["red", "green"]), "blue", "It is not allowed here: write red or green."],
    [z.enum(["red", "green"]), 3, "It is not allowed here: write red or green."],
    [z.literal([1, 2]), 3, "It is not allowed here: write 1 or 2."],
    [z.number().min(2), 1, "It is too small: expected at least 2."],
    [z.number().gt(2), 2, "It is too small: expected more than 2."],
    [z.number().max(1), 2, "It is too large: expected at most 1."],
    [z.number().lt(2), 2, "It is too large: expected less than 2."],
    [z.string().min(1), "", "It is too short: expected at least 1 character."],
    [z.string().min(2), "", "It is too short: expected at least 2 characters."],
    [z.string().max(1), "ab", "It is too long: expected at most 1 character."],
    [z.array(z.int()).max(1), [1, 2], "It is too long: expected at most 1 entry."],
    [z.array(z.int()).max(2), [1, 2, 3], "It is too long: expected at most 2 entries."],
    [z.number().multipleOf(5), 7, "It is not a multiple of 5."],
    [z.email(), "a", "It: expected text of the form email."],
    [z.string().regex(/^a+$/), "b", "It: expected text that matches /^a+$/."],
    [z.string().regex(/^a+$/, "expected only a"), "b", "It: expected only a."],
    [z.string().regex(/^a+$/, "expected what is not Invalid "), "b", "It: expected what is not Invalid ."],
    [z.string().refine((text) => text === "a", "expected an a"), "b", "It: expected an a."],
  ])("%#", (schema, value, sentence) => {
    expect(said(schema, value)).toEqual([sentence]);
  });

  test("an issue of an unknown type keeps its own message", () => {
    const issue: SchemaIssue = {
      code: "invalid_element",
      origin: "map",
      key: "a",
      issues: [],
      path: [],
      message: "odd",
    };
    expect(saidOf(unshown(1, named("It")), [issue])).toEqual(["It: odd."]);
  });

  test("a union without alternatives is described without any", () => {
    const issue: SchemaIssue = { code: "invalid_union", errors: [], path: [], message: "", inclusive: true };
    expect(saidOf(unshown(1, named("It")), [issue])).toEqual(["It is not a value that is allowed here."]);
  });

  test("a value that selects an alternative is described by its possible values", () => {
    const schema = z.discriminatedUnion("type", [
      z.strictObject({ type: z.literal("disk") }),
      z.strictObject({ type: z.literal("net") }),
    ]);
    const valueAt: IssueSubject["valueAt"] = (path) => ({ found: true, words: `"${pathText(path)}"`, value: "disc" });
    expect(said(schema, { type: "disc" }, { valueAt })).toEqual([
      '"type" is not allowed here: write disk or net. Did you mean "disk"?',
    ]);
  });

  test("an invalid name is described with every reason", () => {
    const name = z
      .string()
      .max(3, "expected a short name")
      .regex(/^[a-z]+$/, "expected small letters");
    const issues = z.record(name, z.int()).safeParse({ a: 1, Long: 2 }).error?.issues ?? [];
    expect(mistakesOf(unshown({ Long: 2 }, named("It")), issues)).toEqual([
      {
        is: "misnamed",
        path: ["Long"],
        sentence: 'The name "Long": expected a short name, expected small letters.',
      },
    ]);
  });
});

describe("among alternatives", () => {
  test("each unknown field counts more against an alternative than a missing one", () => {
    const schema = z.union([
      z.strictObject({ a: z.int() }),
      z.strictObject({ x: z.int(), y: z.int(), b: z.int(), c: z.int(), d: z.int() }),
    ]);
    const input = { x: 1, y: 2 };
    const issues = schema.safeParse(input).error?.issues ?? [];
    expect(saidOf(unshown(input, named("It")), issues)).toEqual(['It needs "b".', 'It needs "c".', 'It needs "d".']);
  });

  test("so does a wrong literal", () => {
    const schema = z.union([
      z.strictObject({ type: z.literal("a") }),
      z.strictObject({ type: z.literal("b"), m: z.int(), n: z.int() }),
    ]);
    const input = { type: "b" };
    const issues = schema.safeParse(input).error?.issues ?? [];
    expect(saidOf(unshown(input, named("It")), issues)).toEqual(['It needs "m".', 'It needs "n".']);
  });

  test("the first of the closest ones is described, and none of another type", () => {
    const schema = z.union([
      z.string(),
      z.strictObject({ a: z.int() }),
      z.strictObject({ b: z.int() }),
      z.literal("x"),
    ]);
    const issues = schema.safeParse({}).error?.issues ?? [];
    expect(saidOf(unshown({}, named("It")), issues)).toEqual(['It needs "a".']);
    const both = z.union([z.intersection(z.string(), z.object({ a: z.int() })), z.int()]).safeParse({}).error?.issues;
    expect(saidOf(unshown({}, named("It")), both ?? [])).toEqual(["It is neither text nor a number."]);
  });

  test("a format is described together with the words that can replace it", () => {
    expect(said(z.union([Duration, z.literal("never"), z.literal("once")]), "1y")).toEqual([
      "It: expected a duration such as 500ms, 12h, 90d or 2w, or never or once.",
    ]);
    expect(said(z.union([Duration, z.strictObject({ is: z.literal("x") })]), "1y")).toEqual([
      "It: expected a duration such as 500ms, 12h, 90d or 2w.",
    ]);
  });

  test("a format inside an alternative is described alone, and other errors keep their own words", () => {
    const schema = z.union([z.strictObject({ every: Duration, no: z.string().max(1) }), z.literal("never")]);
    expect(said(schema, { every: "1y", no: "ab" }, { nameOf: named("It") })).toEqual([
      "It: expected a duration such as 500ms, 12h, 90d or 2w.",
      "It is too long: expected at most 1 character.",
    ]);
    expect(said(z.union([z.string().max(1), z.literal("never")]), "ab")).toEqual([
      "It is too long: expected at most 1 character.",
    ]);
  });
});

describe("a field that is missing or unknown", () => {
  test("is identified by its path", () => {
    const input = { rules: [{ group: "a", size: 1 }, {}] };
    const issues = Sheet.safeParse(input).error?.issues ?? [];
    expect(mistakesOf(unshown(input, named("The sheet")), issues).map(({ is, path }) => [is, path])).toEqual([
      ["unknown", ["rules", 0, "size"]],
      ["missing", ["rules", 1, "group"]],
    ]);
  });

  test("is described in the words of the schema, if it has any", () => {
    const schema = z.object({ a: z.int().optional() }).superRefine((_value, context) => {
      context.addIssue({ code: "custom", path: ["a"], message: "It needs a or b" });
    });
    const issues = schema.safeParse({}).error?.issues ?? [];
    expect(saidOf(unshown({}, named("It")), issues)).toEqual(["It needs a or b."]);
  });

  test("is not reported as missing if a misspelt one was found at the same place, unless that is too different", () => {
    const rule = z.strictObject({ group: z.string(), order: z.int() });
    const schema = z.strictObject({ rules: z.array(rule) });
    const input = { rules: [{ gruop: "a", zzz: 1 }, { order: 1 }] };
    const subject = { ...unshown(input, named("It")), fieldsAt: () => ["group", "order"] };
    expect(saidOf(subject, schema.safeParse(input).error?.issues ?? [])).toEqual([
      'rules[0] needs "order".',
      'rules[0] has no field "gruop". Did you mean "group"?',
      'rules[0] has no field "zzz".',
      'rules[1] needs "group".',
    ]);
  });
});

test("a description has the first three errors", () => {
  const schema = z.object({ a: z.int(), b: z.int(), c: z.int(), d: z.int() });
  const issues = schema.safeParse({}).error?.issues ?? [];
  expect(describeIssues(issues, {}, "the answer")).toBe(
    'the answer needs "a"; the answer needs "b"; the answer needs "c"',
  );
});

test("a path is written as in code", () => {
  expect(pathText([])).toBe("");
  expect(pathText(["rules", 0, "group", "id"])).toBe("rules[0].group.id");
  expect(pathText([1, "a"])).toBe("[1].a");
});

test.each([
  [Duration, "2 weeks", "Expected a duration such as 500ms, 12h, 90d or 2w."],
  [Duration, "12h", undefined],
  [z.string().min(3), "ab", "It is too short: expected at least 3 characters."],
  [z.enum(["red", "green"]), "blue", "It is not red or green."],
])("a refusal of a text is a sentence without the text", (schema, text, expected) => {
  expect(refusalOf(schema, text)).toBe(expected);
});
