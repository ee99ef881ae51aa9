import { describe, expect, test } from "vitest";
import { loadFiles, workspaceText } from "./support/workspace.ts";

/* Each bomb is one file of at most 512 KiB, or a few of them. What matters is that a count refuses them, not how soon. */

const size = 500_000;
const good = "kind: Account\nspec: { name: good }\n";

function many(count: number, text: (index: number) => string): string {
  return Array.from({ length: count }, (_none, index) => text(index)).join("");
}

/** As many parts as fit into a file. */
function full(part: (index: number) => string): string {
  return many(Math.floor(size / part(100_000).length), part);
}

async function codesOf(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const { problems } = await loadFiles(files);
  return [...new Set(problems.map(({ code }) => code))].sort();
}

/** The messages that name a limit. */
async function limitsOf(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const { problems } = await loadFiles(files);
  return problems.filter(({ code }) => code === "SP1011").map(({ message, hint }) => `${message} ${hint}`);
}

const laughs = many(30, (index) => {
  const before = index === 0 ? "x" : `*a${index - 1}`;
  return `a${index}: &a${index} [${Array.from({ length: 10 }, () => before).join()}]\n`;
});

const accountWith = (labels: string) => `kind: Account\nmetadata: { labels: { ${labels} } }\nspec: { name: a }\n`;
const repeated = (name: string) =>
  `kind: Account\nforEach: [${many(5000, (index) => `${index},`)}]\nspec: { nme: "${name}" }\n`;

describe("a manifest", () => {
  test.each([
    ["aliases that double", laughs, "limits.bytes"],
    ["aliases", `a: &a x\nb: [${full(() => "*a,")}]\n`, "250,000 words and signs"],
    ["empty lists", `[${full(() => "[],")}]`, "250,000 words and signs"],
    ["empty mappings", `[${full(() => "{},")}]`, "250,000 words and signs"],
    ["JSON", `{"a":${"[".repeat(90)}${full(() => "1,")}1${"]".repeat(90)}}`, "250,000 words and signs"],
    [
      "lists in lists over and over",
      full(() => `${"[".repeat(99)}${"]".repeat(99)}\n---\n`),
      "250,000 words and signs",
    ],
    ["nesting by indents", many(900, (index) => `${" ".repeat(index)}a:\n`), "limits.depth"],
    [
      "a product of lists",
      `kind: Account\nforEach: {${many(60, (i) => `a${i}: [1, 2],`)}}\nspec: {name: a}\n`,
      "limits.resources",
    ],
    ["keys", many(2000, (index) => `key${index}: value\n`), "1000 or more errors"],
    ["equal keys", full(() => "abc: 1\n"), "250,000 words and signs"],
    ["merge keys", `a: &a {}\nb:\n${full(() => "  <<: *a\n")}`, "250,000 words and signs"],
    ["documents", full((index) => `--- {kind: A${index}}\n`), "250,000 words and signs"],
    ["wrong labels", accountWith(many(2000, (index) => `k${index}: 1, `)), "1000 or more errors"],
    ["placeholders", `kind: Account\nspec: { name: a, note: "${full(() => "${var.x}")}" }\n`, "1000 or more errors"],
  ])("of %s is refused by a limit", async (_name, text, limit) => {
    expect((await limitsOf({ "m/a.yaml": text })).join()).toContain(limit);
  });

  test.each([
    ["one scalar", `a: ${"x".repeat(size)}`, "SP1004"],
    ["escapes", `a: "${full(() => "\\u0041")}"`, "SP1004"],
    ["a folded text", `a: >\n${full(() => " x\n\n")}`, "SP1004"],
    ["a literal text", `a: |\n${full(() => "  x\n")}`, "SP1004"],
    ["an open quote", `a: "${full(() => "\n x")}`, "SP1001"],
    ["one mistake in each of many", repeated("${each}"), "SP1004"],
    ["a path", `kind: Page\nspec: { id: a, file: "${full(() => "../")}x" }\n`, "SP1017"],
    ["tags", many(10_000, () => "- !x y\n"), "SP1001"],
    ["mistakes", many(10_000, () => "abcd: ]\n"), "SP1001"],
    ["open placeholders", `kind: Account\nspec: { name: a, note: "${full(() => "${")}" }\n`, "SP1007"],
  ])("of %s is refused for its content", async (_name, text, code) => {
    expect(await codesOf({ "m/a.yaml": text })).toContain(code);
  });
});

/** A workspace file with a lower limit, which a smaller bomb exceeds just as far, but sooner. */
const withWork = (work: number | undefined) =>
  `${workspaceText}${work === undefined ? "" : `limits: { work: ${work} }\n`}`;

describe("a policy", () => {
  const under = (schema: unknown, manifest = good, work?: number) => ({
    "setpoint.yaml": `${withWork(work)}policies: [{ name: p, schema: p.json }]\n`,
    "p.json": typeof schema === "string" ? schema : JSON.stringify(schema),
    "m/a.yaml": manifest,
  });
  const onNote = (schema: unknown, note: string) =>
    under(
      { properties: { spec: { properties: { note: schema } } } },
      `kind: Account\nspec: { name: a, note: ${note} }\n`,
    );
  const onLabels = (work: number, labels: unknown, draft = "http://json-schema.org/draft-07/schema#") =>
    under(
      { $schema: draft, properties: { metadata: { properties: { labels } } } },
      `kind: Account\nmetadata: { labels: { ${many(1500, (index) => `p${index}: x,`)} } }\nspec: { name: a }\n`,
      work,
    );
  const draft2020 = "https://json-schema.org/draft/2020-12/schema";
  const each = <T>(count: number, one: (index: number) => T) =>
    Array.from({ length: count }, (_none, index) => one(index));
  const doubled = Object.fromEntries(
    each(60, (index) => {
      const next = { $ref: `#/$defs/a${index + 1}` };
      return [`a${index}`, index === 59 ? { type: "string" } : { anyOf: [next, next] }];
    }),
  );

  test("with a pattern that would backtrack forever immediately reports what does not match", async () => {
    const files = onNote({ pattern: "^(a+)+$" }, `"${"a".repeat(100_000)}b"`);
    const { problems } = await loadFiles(files);
    expect(problems.map(({ code }) => code)).toEqual(["SP1019"]);
    expect(problems[0]?.message).toContain("does not match ^(a+)+$");
  });

  test.each([
    ["a(?=b)", "SP1002"],
    ["(?<!a)b", "SP1002"],
    ["(a)\\1", "SP1002"],
    ["((a{100}){100}){100}", "SP1002"],
    ["a".repeat(1001), "SP1002"],
  ])("with the pattern %j is refused at its place", async (pattern, code) => {
    for (const schema of [{ pattern }, { patternProperties: { [pattern]: true } }]) {
      const { problems } = await loadFiles(onNote(schema, "x"));
      expect(problems.map((problem) => problem.code)).toEqual([code]);
      expect(problems[0]?.message).toMatch(/linear time|longer than 1,000/);
      expect(problems[0]?.place?.file).toBe("p.json");
    }
  });

  test("still knows the patterns of JSON Schema", async () => {
    const patterns = ["^[\\u0041-Z]+-\\d{2,3}$", "^(?<a>A)[^]*\\p{L}?", "^AB\\-12\\/?$", "\\bAB\\b"];
    for (const pattern of patterns) expect(await codesOf(onNote({ pattern }, "AB-12"))).toEqual([]);
  });

  test.each([
    [
      "a large pattern for a long text",
      onNote({ pattern: "(a?b?){300}[xyz]$" }, `"${"ab".repeat(200_000)}"`),
      "limits.work",
    ],
    [
      "many large patterns",
      under({ allOf: each(49, (index) => ({ pattern: `(x?${index}){900}` })) }, good, 5_000_000),
      "limits.work",
    ],
    [
      "alternatives that all fail, for many",
      onLabels(5_000_000, { additionalProperties: { anyOf: each(90, (index) => ({ const: index })) } }),
      "limits.work",
    ],
    ["references that double", under({ $defs: doubled, $ref: "#/$defs/a0" }), "limits.work"],
    [
      "references in a circle",
      under({ $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } }, $ref: "#/$defs/a" }),
      "endlessly",
    ],
    ["schemas in schemas", under(`${'{"not":'.repeat(5000)}{}${"}".repeat(5000)}`), "limits.depth"],
    [
      "many schemas",
      under({ properties: Object.fromEntries(each(3000, (index) => [`p${index}`, { minimum: 1 }])) }),
      "at most 500",
    ],
    [
      "many dependencies",
      under({
        $schema: draft2020,
        dependentRequired: Object.fromEntries(each(3000, (index) => [`e${index}`, ["a"]])),
      }),
      "at most 500",
    ],
    [
      "a long list of values for many",
      onLabels(8_000_000, { additionalProperties: { enum: each(3000, (index) => `e${index}`) } }),
      "limits.work",
    ],
    [
      "names that nothing evaluates",
      onLabels(
        7_000_000,
        { allOf: each(200, (index) => ({ properties: { [`p${index}`]: true } })), unevaluatedProperties: false },
        draft2020,
      ),
      "limits.work",
    ],
  ])("of %s is refused by a limit", async (_name, files, limit) => {
    expect((await limitsOf(files)).join()).toContain(limit);
  });

  test("that requires unique entries finds two equal ones among many", async () => {
    const schema = { properties: { spec: { properties: { text: { uniqueItems: true } } } } };
    const listing = (entries: string) =>
      under(schema, `kind: Lock\nspec: { project: core, branch: main, text: [${entries}] }\n`);
    const different = many(10_000, (index) => `a${index},`);
    expect(await codesOf(listing(different))).toEqual([]);
    const twice = listing(`${different} a7`);
    expect(await codesOf(twice)).toEqual(["SP1019"]);
  });
});

describe("a workspace", () => {
  test("of many large policies is refused by a limit", async () => {
    const schema = {
      properties: Object.fromEntries(Array.from({ length: 490 }, (_none, at) => [`p${at}`, { minimum: at }])),
    };
    const policies = Array.from({ length: 20 }, (_none, index) => `p${index}`);
    const files = {
      "setpoint.yaml": `${withWork(10_000_000)}policies: [${policies.map((file) => `{ name: ${file}, schema: ${file}.json }`)}]\n`,
      ...Object.fromEntries(policies.map((file) => [`${file}.json`, JSON.stringify(schema)])),
      "m/a.yaml": good,
    };
    expect((await limitsOf(files)).join()).toContain("limits.work");
  });

  test("of too many policies is refused", async () => {
    const policies = many(3000, (index) => `{ name: p${index}, schema: p.json },`);
    const files = { "setpoint.yaml": `${workspaceText}policies: [${policies}]\n`, "p.json": "{}", "m/a.yaml": good };
    expect(await codesOf(files)).toEqual(["SP1002"]);
  });

  test("of many services reads each of them once", async () => {
    const services = many(3000, (index) => `  s${index}: {type: gerrit, url: "https://a"}\n`);
    const files = { "setpoint.yaml": `version: 1\nservices:\n${services}`, "manifests/a.yaml": good };
    expect(await codesOf(files)).toEqual(["SP1009"]);
  });

  test("cannot have globs other than plain patterns", async () => {
    for (const glob of ["m/+(a|b).yaml", "m/!(a).yaml", "m/{1..9}.yaml", `m/${"*".repeat(1000)}`])
      expect(await codesOf({ "setpoint.yaml": workspaceText.replace("m/*.yaml", glob), "m/a.yaml": good })).toContain(
        "SP1002",
      );
  });
});
