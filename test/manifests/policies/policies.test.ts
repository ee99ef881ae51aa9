import { describe, expect, test } from "vitest";
import type { LoadOptions } from "../../../src/manifests/load.ts";
import { line, loadFiles, workspaceText } from "../support/workspace.ts";

/** The problems of a manifest under policies, one line each, with the file. */
async function under(
  policies: string,
  files: Readonly<Record<string, string>>,
  options: Partial<LoadOptions> = {},
): Promise<readonly string[]> {
  const text = `${workspaceText}policies:\n${policies}`;
  const { problems } = await loadFiles({ "setpoint.yaml": text, ...files }, options);
  return problems.map((problem) => `${problem.place?.file}:${line(problem)}`);
}

const lock = "kind: Lock\nmetadata: { labels: { a: b } }\nspec: { project: core, branch: main }\n";

/** The problems of a lock under one schema. */
function lockUnder(schema: unknown, manifest = lock) {
  return under("  - { name: p, schema: p.json, kinds: [Lock] }\n", {
    "m/a.yaml": manifest,
    "p.json": JSON.stringify(schema),
  });
}

const spec = (schema: unknown) => ({ properties: { spec: schema } });

test.each([
  [{ properties: { branch: { const: "x" } } }, '1:16+8 SP1004 A document has no field "branch".'],
  [spec({ properties: { brunch: false } }), '1:38+8 SP1004 spec has no field "brunch". Did you mean "branch"?'],
  [{ anyOf: [spec({ not: { required: ["brunch"], properties: { brunch: {} } } })] }, 'no field "brunch"'],
  [{ properties: { metadata: { allOf: [{ properties: { label: {} } }] } } }, 'metadata has no field "label".'],
])(
  "a rule for a field that no document has is an error, because it would allow everything: %j",
  async (schema, expected) => {
    const problems = await lockUnder(schema);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(`p.json:`);
    expect(problems[0]).toContain(expected);
  },
);

test.each([
  [["Lock", "Rule"], { order: {}, project: {} }],
  [undefined, { name: {}, brunch: {} }],
])("a rule for a field that only some of the policy's kinds %j have is accepted", async (kinds, properties) => {
  const metadata = { properties: { acknowledged: false, service: { const: "review" } } };
  const files = { "m/a.yaml": lock, "p.json": JSON.stringify({ properties: { spec: { properties }, metadata } }) };
  expect(await under(`  - ${JSON.stringify({ name: "p", schema: "p.json", kinds })}\n`, files)).toEqual([]);
});

describe("a document that a policy refuses", () => {
  test.each([
    [{ required: ["order"] }, '3:1+4 SP1019 Policy p: spec needs "order".'],
    [{ properties: { project: { pattern: "^x" } } }, 'm/a.yaml:3:18+4 SP1019 Policy p: "core" does not match ^x.'],
    [{ properties: { branch: { const: "x" } } }, '3:32+4 SP1019 Policy p: "main" is not allowed here: write "x".'],
    [{ properties: { branch: { enum: ["mian", "x"] } } }, 'write mian or x. Did you mean "mian"?'],
    [{ properties: { branch: { minLength: 5 } } }, '"main" must NOT have fewer than 5 characters.'],
    [{ properties: { branch: false } }, '3:32+4 SP1019 Policy p: "main" is not allowed here.'],
    [{ properties: { branch: { not: { const: "main" } } } }, '3:32+4 SP1019 Policy p: "main" is not allowed here.'],
    [
      { properties: { branch: { anyOf: [{ const: "a" }, { maxLength: 1 }] } } },
      '"main" matches none of the allowed forms.',
    ],
    [
      { additionalProperties: false, properties: { project: {} } },
      '3:24+6 SP1019 Policy p: spec may not have "branch".',
    ],
    [{ propertyNames: { maxLength: 6 } }, '3:9+7 SP1019 Policy p: spec may not have "project".'],
  ])("by %j is reported at the right place", async (schema, expected) => {
    const problems = await lockUnder(spec(schema));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(expected);
  });

  test("is reported where a placeholder or a repetition inserted the value", async () => {
    const manifest = 'kind: Lock\nforEach: [a, bb, cc]\nspec:\n  project: "x${each}"\n  branch: "${var.b}"\n';
    const schema = spec({ properties: { project: { maxLength: 2 }, branch: { const: "x" } } });
    const files = { "m/a.yaml": manifest, "p.json": JSON.stringify(schema) };
    expect(await under("  - { name: p, schema: p.json }\n", files, { variables: { b: "main" } })).toEqual([
      'm/a.yaml:4:12+10 SP1019 Policy p: "xbb" must NOT have more than 2 characters.',
      'm/a.yaml:4:12+10 SP1019 Policy p: "xcc" must NOT have more than 2 characters.',
      'm/a.yaml:5:11+10 SP1019 Policy p: "main" is not allowed here: write "x".',
    ]);
  });

  test("has every violation of every policy reported, with the policy's own advice", async () => {
    const policies = "  - { name: first, schema: 1.yaml, message: Ask Ann. }\n  - { name: second, schema: 2.yaml }\n";
    const files = {
      "m/a.yaml": lock,
      "1.yaml": "properties: { spec: { required: [order, text], properties: { branch: { const: x } } } }\n",
      "2.yaml": "properties: { metadata: { required: [note] } }\n",
    };
    expect(await under(policies, files)).toEqual([
      'm/a.yaml:2:1+8 SP1019 Policy second: metadata needs "note".',
      'm/a.yaml:3:1+4 SP1019 Policy first: spec needs "order". | Ask Ann.',
      'm/a.yaml:3:1+4 SP1019 Policy first: spec needs "text". | Ask Ann.',
      'm/a.yaml:3:32+4 SP1019 Policy first: "main" is not allowed here: write "x". | Ask Ann.',
    ]);
  });

  test("is reported at its start if the violating field is not written", async () => {
    const schema = { properties: { metadata: { properties: { protect: { const: true } } } } };
    expect(await lockUnder(schema)).toEqual([
      "m/a.yaml:2:1+8 SP1019 Policy p: metadata.protect is left out, so false is not allowed here: write true.",
    ]);
    expect(await lockUnder(schema, "kind: Lock\nspec: { project: core, branch: main }\n")).toEqual([
      "m/a.yaml:1:1+4 SP1019 Policy p: metadata.protect is left out, so false is not allowed here: write true.",
    ]);
  });
});

describe("a policy", () => {
  test("applies to documents of its kinds with all of its labels", async () => {
    const never = JSON.stringify({ properties: { spec: false } });
    const files = {
      "m/a.yaml": `${lock}---\nkind: Rule\nmetadata: { labels: { a: b, c: d } }\nspec: { project: ui }\n`,
      "p.json": never,
    };
    const lines = async (more: string) =>
      (await under(`  - { name: p, schema: p.json${more} }\n`, files)).map((problem) => problem.split(":")[1]);
    expect(await lines("")).toEqual(["3", "7"]);
    expect(await lines(", kinds: [Rule]")).toEqual(["7"]);
    expect(await lines(", labels: { a: b, c: d }")).toEqual(["7"]);
    expect(await lines(", labels: { a: x }")).toEqual([]);
    expect(await lines(", kinds: [Lock], labels: { c: d }")).toEqual([]);
  });

  test("sees the service's name, the state and the reference to a secret, but no forEach", async () => {
    const manifest = 'kind: Account\nforEach: [a]\nspec: { name: "${each}", password: "${env:P}" }\n';
    const schema = {
      additionalProperties: false,
      properties: {
        kind: { const: "Account" },
        metadata: { const: { labels: {}, protect: false, ignore: [], state: "present", service: "wiki" } },
        spec: { const: { name: "a", password: "${env:P}" } },
      },
    };
    const files = { "m/a.yaml": manifest, "p.json": JSON.stringify(schema) };
    expect(await under("  - { name: p, schema: p.json }\n", files)).toEqual([]);
  });

  test("ignores documents with other errors, and the base", async () => {
    const files = { "m/a.yaml": "kind: Lock\nspec: { project: core }\n", "p.json": '{"properties":{"spec":false}}' };
    const policy = "  - { name: p, schema: p.json }\n";
    expect(await under(policy, files)).toEqual(['m/a.yaml:2:1+4 SP1003 Lock needs "branch".']);
    expect(await under(policy, { ...files, "m/a.yaml": lock }, { policies: false })).toEqual([]);
  });

  test("can be of draft 2020-12 and refer to its own definitions", async () => {
    const schema = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      $defs: { short: { maxLength: 3 } },
      ...spec({ properties: { branch: { $ref: "#/$defs/short" } }, unevaluatedProperties: false }),
    };
    expect(await lockUnder(schema)).toEqual([
      'm/a.yaml:3:9+7 SP1019 Policy p: spec may not have "project".',
      'm/a.yaml:3:32+4 SP1019 Policy p: "main" must NOT have more than 3 characters.',
    ]);
  });

  test("whose file is among the manifests is not a manifest", async () => {
    const files = { "m/a.yaml": lock, "m/p.yaml": "properties: { spec: { required: [project] } }\n" };
    expect(await under("  - { name: p, schema: m/p.yaml }\n", files)).toEqual([]);
  });
});

describe("a policy that cannot be used is an error", () => {
  test.each([
    ["{ name: p, schema: nowhere.json }", 'setpoint.yaml:7:24+12 SP1017 "nowhere.json" cannot be read: there is no'],
    ["{ name: p, schema: ../p.json }", "expected a file below the folder of the workspace file"],
    ["{ name: P, schema: p.json }", "expected a name such as locks-have-tickets"],
    ["{ name: p, schema: p.json, kinds: [Lokc] }", '7:40+4 SP1008 There is no kind "Lokc". Did you mean "Lock"?'],
    ["{ name: p, shema: p.json }", 'policies[0] has no field "shema". Did you mean "schema"?'],
    ["{ name: p, schema: p.json }\n  - { name: p, schema: p.json }", "expected each policy's name once"],
  ])("in the workspace: %s", async (policy, expected) => {
    const problems = await under(`  - ${policy}\n`, { "m/a.yaml": lock, "p.json": "{}" });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(expected);
  });

  test.each([
    ["- a", "1:1+3 SP1002 A policy file is one JSON Schema: a mapping."],
    ["a: {", "SP1001"],
    ["properties:\n  spec: { requierd: [a] }", '2:11+8 SP1004 JSON Schema has no keyword "requierd".'],
    ["properties:\n  spec: { required: a }", "2:21+1 SP1002 Not a valid JSON Schema: it must be array."],
    ["properties: { a: { format: date } }", '1:28+4 SP1002 The format "date" is not supported. | Write a pattern'],
    ["$ref: https://example.com/s.json", '1:7+26 SP1002 The schema refers to "https://example.com/s.json", which'],
    ["properties: { a: { pattern: '(' } }", 'SP1002 The pattern "(" cannot be matched in linear time'],
    [
      "$schema: http://json-schema.org/draft-04/schema#",
      "1:10+39 SP1002 Policies are JSON Schemas of draft 7 or 2020-12.",
    ],
    ["$async: true", "1:9+4 SP1002 A policy's schema cannot be asynchronous."],
  ])("in its file: %s", async (schema, expected) => {
    const problems = await under("  - { name: p, schema: p.yaml }\n", { "m/a.yaml": lock, "p.yaml": `${schema}\n` });
    expect(problems[0]).toMatch(/^p\.yaml:/);
    expect(problems[0]).toContain(expected);
  });
});
