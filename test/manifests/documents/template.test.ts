import { expect, test } from "vitest";
import { line, loadFiles, mistakes, workspaceText } from "../support/workspace.ts";
import { specs } from "./template.ts";

test("a string that is a single placeholder takes the type of the value", async () => {
  const values = { "values.json": '{ "project": "core", "on": true, "order": 3, "list": ["push"] }' };
  const text =
    "kind: Lock\nspec: { project: '${var.project}', branch: b, exclusive: '${var.on}', order: '${var.order}', permissions: '${var.list}' }\n";
  expect(await specs(text, {}, values)).toEqual([
    { project: "core", branch: "b", exclusive: true, order: 3, permissions: ["push"] },
  ]);
});

test("a value inside text appears as it is written", async () => {
  const text = "kind: Lock\nforEach: [2.10, 2.9]\nspec: { project: 'p${each}', branch: 'release-${each}' }\n";
  expect(await specs(text)).toEqual([
    { project: "p2.10", branch: "release-2.10" },
    { project: "p2.9", branch: "release-2.9" },
  ]);
});

test("forEach repeats over mappings and over every combination of several lists", async () => {
  expect(await specs("kind: Account\nforEach: [{ n: a }, { n: b }]\nspec: { name: 'x-${each.n}' }\n")).toEqual([
    { name: "x-a" },
    { name: "x-b" },
  ]);
  expect(
    await specs(
      "kind: Account\nforEach: { one: [a, b], two: [{ n: c }, { n: d }] }\nspec: { name: '${each.one}${each.two.n}' }\n",
    ),
  ).toEqual([{ name: "ac" }, { name: "ad" }, { name: "bc" }, { name: "bd" }]);
  expect(await specs("kind: Account\nforEach: []\nspec: { name: '${each}' }\n")).toEqual([]);
});

test("forEach can repeat over a variable, and keys can contain placeholders", async () => {
  const text =
    "kind: Account\nmetadata: { labels: { 't-${each}': x } }\nforEach: ${var.names}\nspec: { name: '${each}' }\n";
  const { resources } = await loadFiles({ "m/a.yaml": text, "v.yml": "names: [a]\n" }, { values: ["v.yml"] });
  expect(resources[0]?.metadata.labels).toEqual({ "t-a": "x" });
});

test("$${ is a literal ${, and stays one when it passes through a variable", async () => {
  expect(
    await specs(
      "kind: Account\nspec: { name: a, note: '${var.text} $${env:HOME} $$${var.text}' }\n",
      {},
      {
        "v.yml": "text: $${var.x}\n",
      },
    ),
  ).toEqual([{ name: "a", note: "${var.x} ${env:HOME} $${var.text}" }]);
});

test("the command line overrides files of variables, which override the environment, which overrides the workspace", async () => {
  const text = "kind: Account\nspec: { name: '${var.a}${var.b}${var.c}${var.d}' }\n";
  const { resources } = await loadFiles(
    {
      "setpoint.yaml":
        'version: 1\nmanifests: [m/*.yaml]\nvariables: { a: 1, b: 1, c: 1, d: 1 }\nservices: { wiki: { type: confluence, url: "http://h" } }\n',
      "setpoint.test.yaml": "{ b: 2, c: 2, d: 2 }",
      "v1.yaml": "{ c: 3, d: 3 }",
      "v2.yaml": "{ d: 4 }",
      "m/a.yaml": text,
    },
    { environment: "test", values: ["v1.yaml", "v2.yaml"], variables: { d: "5" } },
  );
  expect(resources.map(({ key }) => key)).toEqual(["1235"]);
});

test.each([
  ["team", [], "given"],
  ["owner", [], "default"],
  ["tema", ['SP1007 Nothing uses the variable "tema". Did you mean "team"?'], "default"],
  ["team ", ['SP1007 Nothing uses the variable "team ". Did you mean "team"?'], "default"],
  ["owner.name.x", ['SP1007 Nothing uses the variable "owner.name.x".'], "default"],
  ["nam", ['SP1007 Nothing uses the variable "nam".'], "default"],
  ["name", [], "default"],
  ["unused", [], "default"],
])("a value for %j that nothing uses is reported: %j", async (given, expected, note) => {
  const { problems, resources } = await loadFiles(
    {
      "setpoint.yaml": `${workspaceText}variables: { team: default, unused: 1 }\n`,
      "m/a.yaml": "kind: Account\nspec: { name: a, note: '${var.team}' }\n",
      "m/b.yaml": "kind: Account\nforEach: []\nspec: { name: 'x-${var.name}', note: '${var.owner.x}' }\n",
    },
    { variables: { [given]: "given" } },
  );
  expect(problems.map(({ code, message }) => `${code} ${message}`)).toEqual(expected);
  expect(resources[0]?.spec).toMatchObject({ note });
});

test("a file of variables cannot have names that no placeholder could reach", async () => {
  const files = { "m/a.yaml": "", "v.yaml": "team.name: a\n", "w.yaml": "variables: { team: a }\n" };
  const { problems } = await loadFiles(files, { values: ["v.yaml", "w.yaml"] });
  expect(problems.map((one) => `${one.place?.file}:${line(one)}`)).toEqual([
    "v.yaml:1:1+9 SP1002 The name of a variable has a dot, which in placeholders selects a part of a variable.",
    "w.yaml:1:1+9 SP1002 A file of variables has their names at its top level, not below variables.",
  ]);
});

test("a placeholder without a value is reported at the placeholder", async () => {
  const text =
    "kind: Lock\nforEach: [{ name: a }]\nspec:\n  project: 'x ${each.nme}'\n  branch: ${var.prot}\n  text: '${HOME} ${open'\n";
  const options = { variables: { port: "1" } };
  expect(await mistakes(text, options)).toEqual([
    '4:15+11 SP1007 "${each.nme}" has no value. Did you mean "${each.name}"? | forEach provides name.',
    '5:11+11 SP1007 "${var.prot}" has no value. Did you mean "${var.port}"? | Give it a value with --var, --values, or under variables in the workspace file.',
    '6:10+7 SP1007 "${HOME}" has no value. | Placeholders are ${var.name}, ${each.name} and ${each}. Write $${ for a literal ${.',
    '6:18+6 SP1007 A placeholder has no closing "}". | Write $${ for a literal ${.',
  ]);
  expect(await mistakes("kind: Account\nspec: { name: '${each}' }\n")).toEqual([
    '2:16+7 SP1007 "${each}" has no value. | The document has no forEach.',
  ]);
});

test("only var names variables", async () => {
  const codes = (text: string) => mistakes(`kind: Account\nspec: { name: "${text}" }\n`, { variables: { team: "a" } });
  expect(await codes("${var.team}")).toEqual([]);
  expect(await codes("${vars.team}")).toEqual([expect.stringContaining("has no value")]);
  expect(await codes("${team}")).toEqual([expect.stringContaining("has no value")]);
});

test("names of JavaScript's own object members are not variables", async () => {
  expect((await mistakes("kind: Account\nspec: { name: '${var.constructor}${var.__proto__}' }\n")).length).toBe(2);
});

test("a list or null cannot be used inside text", async () => {
  const text =
    "kind: Account\nforEach: [{ list: [1], none: null }]\nspec: { name: 'a${each.list}', note: 'b${each.none}' }\n";
  expect(await mistakes(text)).toEqual([
    "3:17+12 SP1002 ${each.list} is a list and cannot be used inside text.",
    '3:40+12 SP1007 "${each.none}" has no value. | forEach provides list, none.',
  ]);
});

test("an error shared by several repetitions is reported once, at the text that they share", async () => {
  expect(await mistakes("kind: Lock\nforEach: [aa, bb]\nspec: { project: '${each}', branch: 3 }\n")).toEqual([
    "3:37+1 SP1002 3 is not text: put it in quotes.",
  ]);
});

test("an error inside the value of a variable is reported in the file of the variable", async () => {
  const { problems } = await loadFiles(
    { "m/a.yaml": "kind: Lock\nspec: ${var.lock}\n", "v.yml": "lock:\n  project: core\n  branch: 7\n" },
    { values: ["v.yml"] },
  );
  expect(problems.map((problem) => `${problem.place?.file} ${line(problem)}`)).toEqual([
    "v.yml 3:11+1 SP1002 7 is not text: put it in quotes.",
  ]);
});

test("a wrong value is reported where it is used, with the place where it is written", async () => {
  const text = `kind: Lock
forEach:
  - { project: aa, branch: main }
  - { project: bb, branch: 7 }
  - { project: cc, branch: 7 }
  - { branch: main }
  - { project: dd, branch: }
  - { project: ~, branch: main }
spec: { project: "\${each.project}", branch: "\${each.branch}", order: "\${var.order}", exclusive: "\${var.on}", typo: "\${each.typo}" }
---
kind: Lock
forEach:
  project: [{ name: "\${var.long}" }, { nmae: ee }]
  branch: [main, 8]
spec: { project: "x-\${each.project.name}", branch: "\${each.branch}", limits: "\${each.limits}" }
---
kind: "\${var.kind}"
metadata: { service: "\${var.where}" }
spec: { project: ff, branch: b, permissions: "\${var.permissions}" }
---
kind: Lock
forEach: { branch: "\${var.lists.one}", project: "\${var.lists.two}" }
spec: { project: "\${each.project}", branch: "\${each.branch}" }
`;
  const values = `order: many
kind: Lock
where: reviw
long: core
permissions: [push, pusch]
lists: { one: x, two: [[y]] }
`;
  const { problems } = await loadFiles(
    { "m/a.yaml": text, "v.yml": values },
    { values: ["v.yml"], variables: { on: "yes" } },
  );
  const told = problems.map(({ message, hint, place, other }) => {
    const [at, beside] = [place, other].map((one) => one && `${one.file} ${one.line}:${one.column}`);
    return `${at} ${message} See also ${beside}${hint?.startsWith("--var") ? ` ${hint}` : ""}`;
  });
  expect(told).toMatchInlineSnapshot(`
    [
      "m/a.yaml 9:18 ~ is not text: put it in quotes. See also m/a.yaml 8:16",
      "m/a.yaml 9:19 "\${each.project}" has no value. See also m/a.yaml 6:5",
      "m/a.yaml 9:45 7 is not text: put it in quotes. See also m/a.yaml 4:28",
      "m/a.yaml 9:45 7 is not text: put it in quotes. See also m/a.yaml 5:28",
      "m/a.yaml 9:45 "branch" has no value. See also m/a.yaml 7:28",
      "m/a.yaml 9:70 "many" is not a number. See also v.yml 1:8",
      "m/a.yaml 9:97 "yes" is not a boolean: write true or false. See also undefined --var gives text: give another value with --values.",
      "m/a.yaml 9:110 Lock has no field "typo". See also undefined",
      "m/a.yaml 9:117 "\${each.typo}" has no value. See also m/a.yaml 3:5",
      "m/a.yaml 15:21 "\${each.project.name}" has no value. See also m/a.yaml 13:38",
      "m/a.yaml 15:52 8 is not text: put it in quotes. See also m/a.yaml 14:18",
      "m/a.yaml 15:79 "\${each.limits}" has no value. See also m/a.yaml 13:3",
      "m/a.yaml 18:22 There is no service "reviw". Did you mean "review"? See also v.yml 3:8",
      "m/a.yaml 22:20 forEach needs a list here. See also v.yml 6:15",
      "v.yml 5:21 "pusch" is not allowed here: write submit, push or pushMerge. Did you mean "push"? See also m/a.yaml 17:1",
      "v.yml 6:24 An entry of forEach is a scalar or a mapping. See also m/a.yaml 22:10",
    ]
  `);
});

test("forEach without a list is an error", async () => {
  expect(await mistakes("kind: Account\nforEach: x\nspec: { name: a }\n")).toEqual([
    "2:10+1 SP1002 forEach is a list, or a mapping from names to lists.",
  ]);
  expect(await mistakes("kind: Account\nforEach: {}\nspec: { name: a }\n")).toEqual([
    "2:10+2 SP1002 forEach is a list, or a mapping from names to lists.",
  ]);
  expect(await mistakes("kind: Account\nforEach: { a: x, b: [[1]] }\nspec: { name: a }\n")).toEqual([
    "2:15+1 SP1002 forEach needs a list here.",
    "2:22+3 SP1002 An entry of forEach is a scalar or a mapping.",
  ]);
});

test("two repetitions that declare the same resource are reported", async () => {
  expect(await mistakes("kind: Account\nforEach: [a, a]\nspec: { name: '${each}' }\n")).toEqual([
    '1:7+7 SP1006 "wiki/Account/a" is declared twice by forEach.',
  ]);
});

test("keys that become equal or forbidden are refused", async () => {
  const text = "kind: Account\nmetadata: { labels: { a: x, '${var.a}': y, '${var.p}': z } }\nspec: { name: a }\n";
  expect(await mistakes(text, { variables: { a: "a", p: "__proto__" } })).toEqual([
    '2:29+10 SP1005 Duplicate key "a".',
    '2:44+10 SP1014 The name "__proto__" is not allowed.',
  ]);
});
