import { describe, expect, test } from "vitest";
import { allServices } from "../../../src/clients/find-service.ts";
import { shapeOf } from "../../../src/core/text/json-schema.ts";
import { liveListFields } from "../../../src/manifests/documents/live-list.ts";
import { load } from "../../../src/manifests/load.ts";
import { serviceEntry, workspaceFile } from "../../../src/manifests/workspace/workspace-schema.ts";
import { kinds, line, loadFiles, memoryFiles } from "../support/workspace.ts";

async function workspace(text: string, variables: Readonly<Record<string, string>> = {}) {
  return loadFiles({ "setpoint.yaml": text, "m/a.yaml": "" }, { variables });
}

test("the schemas of a workspace file are created once, however many workspaces and services are read", () => {
  for (const make of [workspaceFile, serviceEntry, liveListFields, () => shapeOf(workspaceFile(allServices))])
    expect(make(allServices)).toBe(make(allServices));
});

test("a workspace has services with a role, a plain URL and limits", async () => {
  const { workspace: opened, problems } = await workspace(`version: 1
manifests: ["m/*.yaml"]
variables: { port: 4780 }
services:
  review: { type: gerrit, url: "https://review.example.com", wire: documented, limits: { timeout: 500ms } }
  wiki: { type: confluence, url: "http://127.0.0.1:\${var.port}/wiki/" }
guards: { maxDeletes: 20 }
`);
  expect(problems.map(line)).toEqual([]);
  expect(opened?.services).toEqual([
    {
      name: "review",
      role: "review",
      type: "gerrit",
      url: "https://review.example.com",
      urls: {},
      wire: "documented",
      limits: { concurrency: 4, timeout: 500, attempts: 4 },
    },
    {
      name: "wiki",
      role: "wiki",
      type: "confluence",
      url: "http://127.0.0.1:4780/wiki",
      urls: {},
      wire: "product",
      limits: { concurrency: 4, timeout: 10_000, attempts: 4 },
    },
  ]);
  expect(opened?.guards).toEqual({ maxDeletes: 20, maxDeletePercent: 30, accept: [] });
});

const globs = "manifests: [m/*.yaml]\n";

test.each([
  [`version: 2\n${globs}services: {}\n`, ["1:10+1 SP1002 2 is not allowed here: write 1."]],
  [
    `version: 1\n${globs}service: {}\n`,
    ['3:1+7 SP1004 The workspace has no field "service". Did you mean "services"?'],
  ],
  [`version: 1\n${globs}`, ['1:1+7 SP1003 The workspace needs "services".']],
  ["[]\n", ["1:1+2 SP1002 A workspace file is a mapping with version and services."]],
  ["", ["1:1+1 SP1002 A workspace file is a mapping with version and services."]],
  [`version: 1\n${globs}services: {}\n---\na: 1\n`, ["5:1+4 SP1002 A workspace file has one document."]],
  [`version: 1\n${globs}services: {}\nvariables: []\n`, ["4:12+2 SP1002 Expected a mapping, not a list."]],
])("%j is explained", async (text, expected) => {
  const { problems } = await workspace(text);
  expect(problems.map(line)).toEqual(expected);
});

test.each([
  ["url: ftp://h", "expected an http or https URL without credentials, query and fragment"],
  ["url: https://h/?x", "expected an http or https URL"],
  ["url: https://h/#x", "expected an http or https URL"],
  ["url: https://", "expected an http or https URL"],
  ["url: https://h, tpe: x", 'services.a has no field "tpe". Did you mean "type"?'],
  ["url: https://h, wire: wet", '"wet" is not allowed here: write product or documented.'],
  ["url: https://h, limits: { timeout: 10 }", "10 is not text: put it in quotes."],
  ["url: https://h, limits: { timeout: 10 s }", '"10 s": expected a duration such as 500ms, 12h, 90d or 2w.'],
  ["url: https://h, limits: { timeout: 25h }", '"25h": expected at most 1d.'],
  ["url: https://h, limits: { attempts: 0 }", "0 is too small: expected at least 1."],
  ["url: '${env:URL}'", "A reference to a secret is not allowed here."],
  ["url: 'https://${var.x}'", '"${var.x}" has no value.'],
])("a service with %s is refused", async (fields, expected) => {
  const { problems } = await workspace(
    `version: 1\nmanifests: [m/*.yaml]\nservices:\n  a: { type: gerrit, ${fields} }\n`,
  );
  expect(problems[0]?.message).toContain(expected);
  expect(problems[0]?.place?.line).toBe(4);
});

describe("a secret in the workspace file is refused and never shown", () => {
  const secret = "hunter2";
  const file = (fields: string, more = "") =>
    `version: 1\nmanifests: [m/*.yaml]\n${more}services:\n  my-wiki:\n    type: confluence\n${fields}`;
  const loadWith = async (fields: string, more?: string, files = {}) => {
    const loaded = await loadFiles(
      { "setpoint.yaml": file(fields, more), "m/a.yaml": "", "v.yaml": `address: https://u:${secret}@h\n`, ...files },
      { values: ["v.yaml"], variables: { given: `https://u:${secret}@h` } },
    );
    expect(JSON.stringify(loaded)).not.toContain(secret);
    return loaded.problems.map(line);
  };

  test.each([
    ["url: https://u:hunter2@h", "7:10+19 SP1015"],
    ["url: 'https://:hunter2@h/wiki'", "7:10+25 SP1015"],
    ["url: https://hunter2@h", "7:10+17 SP1015"],
    ["url: ${var.address}", "7:10+14 SP1015"],
    ["url: ${var.given}/wiki", "7:10+17 SP1015"],
    ["url: ${var.mine}", "7:10+11 SP1015"],
  ])("%s", async (url, expected) => {
    const problems = await loadWith(`    ${url}\n`, `variables: { mine: "https://u:${secret}@h" }\n`);
    expect(problems).toEqual([
      `${expected} The URL of "my-wiki" has a user or a password. | Leave them out, and set SETPOINT_MY_WIKI_URL, ` +
        "SETPOINT_MY_WIKI_USERNAME, SETPOINT_MY_WIKI_PASSWORD in the environment. If the file was pushed, replace the password.",
    ]);
  });

  test("in the URL of a root", async () => {
    const fields = `    type2: x\n    url: http://h\n    urls: { auth: "https://u:${secret}@h" }\n`;
    expect(await loadWith(fields)).toContainEqual(expect.stringContaining("SETPOINT_MY_WIKI_AUTH_USERNAME"));
  });

  test.each([
    ["token", "TOKEN"],
    ["password", "PASSWORD"],
    ["apiKey", "API_KEY"],
    ["username", "USERNAME"],
    ["access_token", "TOKEN"],
    ["credentials", "PASSWORD"],
  ])("as %s: the hint names the variable", async (field, variable) => {
    expect(await loadWith(`    url: http://h\n    ${field}: ${secret}\n`)).toEqual([
      `7:5+${field.length} SP1004 services.my-wiki has no field "${field}": credentials never belong in a workspace. | ` +
        `Set SETPOINT_MY_WIKI_URL and SETPOINT_MY_WIKI_${variable} in the environment.`,
    ]);
  });

  test("as the value of another field, and in the excerpt of another error", async () => {
    const problems = await loadWith(
      `    url: http://h\n    wire: https://u:${secret}@h\n    token: ${secret}\n    urll: http://h\n    password: "${secret}"\n    password: ${secret}\n`,
    );
    expect(problems.map((text) => text.split(" ")[1])).toEqual(["SP1002", "SP1004", "SP1004", "SP1004", "SP1005"]);
  });

  test("in a file of variables with an error", async () => {
    const mistaken = `mine: https://u:${secret}@h\nmine: https://u:${secret}@h\n`;
    expect(await loadWith("    url: http://h\n", "", { "v.yaml": mistaken })).toEqual([
      '2:1+4 SP1005 Duplicate key "mine".',
    ]);
  });
});

test("the name of a service cannot break an address", async () => {
  const { problems } = await workspace(
    'version: 1\nmanifests: [m/*.yaml]\nservices:\n  a/b: { type: gerrit, url: "http://h" }\n',
  );
  expect(problems.map(line)).toEqual(['4:3+3 SP1002 The name "a/b": expected a name of a-z, 0-9 and -.']);
});

test("a service with an invalid declaration is not reported as missing by the manifests too", async () => {
  const { problems } = await loadFiles({
    "setpoint.yaml": "version: 1\nmanifests: [m/*.yaml]\nservices: { wiki: { type: konfluence, url: http://h } }\n",
    "m/a.yaml": "kind: Account\nspec: { nam: a }\n---\nkind: Account\nmetadata: { service: wiki }\nspec: { name: b }\n",
  });
  expect(problems.map(({ code }) => code)).toEqual(["SP1004", "SP1002"]);
});

test("a glob that finds nothing is reported, and so is one that leaves the folder", async () => {
  const none = await loadFiles({ "setpoint.yaml": 'version: 1\nmanifests: ["x/*.yaml"]\nservices: {}\n' });
  expect(none.problems.map(line)).toEqual([
    '2:13+10 SP1013 No manifest matches "x/*.yaml". | If there are none yet: `setpoint import <service>` writes what exists, and `setpoint explain <Kind>` shows how to write one.',
  ]);
  for (const glob of ["../*.yaml", "/etc/*", "a/{b,../..}/*.yaml", "a\\\\..", "!a"]) {
    const out = await loadFiles({ "setpoint.yaml": `version: 1\nmanifests: ["${glob}"]\nservices: {}\n` });
    expect(out.problems[0]?.message).toContain("expected a pattern below the folder of the workspace file");
  }
});

test("a glob of dotfiles that finds nothing names what allows them", async () => {
  const loaded = (rest: string) =>
    loadFiles({
      "setpoint.yaml": `version: 1\nmanifests: [.infra/*.yaml]\nservices: { wiki: { type: confluence, url: http://h } }\n${rest}`,
      ".infra/a.yaml": "kind: Account\nspec: { name: a }\n",
    });
  const { problems } = await loaded("");
  expect(problems.map(line)).toEqual([
    expect.stringMatching(/^2:13\+13 SP1013 .* only found if `files` allows it too\.$/),
  ]);
  expect((await loaded("files: [.infra/*.yaml]\n")).files).toBe(1);
});

test("the workspace file and files of variables are not manifests", async () => {
  const { problems, files } = await loadFiles(
    {
      "setpoint.yaml": "version: 1\nmanifests: ['*.yaml']\nservices: {}\n",
      "setpoint.test.yaml": "a: 1\n",
      "v.yaml": "b: 1\n",
      "c.yaml": "",
    },
    { environment: "test", values: ["v.yaml"] },
  );
  expect(problems).toEqual([]);
  expect(files).toBe(1);
});

test("a kind that no service has cannot be exclusive, since nothing would be read", async () => {
  const text = "version: 1\nmanifests: [m/*.yaml]\nservices: {}\nexclusive: [{ kind: Lock }]\n";
  const { problems } = await loadFiles({ "setpoint.yaml": text, "m/a.yaml": "" });
  expect(problems.map(line)).toContain(
    "4:21+4 SP1009 The workspace has no service for Lock: setpoint kinds shows its type.",
  );
});

test("a missing workspace file and missing files of variables are reported", async () => {
  const source = memoryFiles({});
  const missing = await load({ source, kinds, types: allServices, workspaceFile: "setpoint.yaml", variables: {} });
  expect(missing).toMatchObject({ workspace: undefined, resources: [], files: 0 });
  expect(missing.problems.map(line)).toEqual([
    "1:1 SP1013 The file cannot be read: there is no such file. | Run setpoint in the folder of the workspace file, name it with --workspace (not a link to it), or make one with setpoint init.",
  ]);
  const other = await load({
    source: memoryFiles({ "setpoint.yml": "version: 1\n" }),
    kinds,
    types: allServices,
    workspaceFile: "setpoint.yaml",
    variables: {},
  });
  expect(other.problems.map(line)).toEqual([
    "1:1 SP1013 The file cannot be read: there is no such file. | Rename setpoint.yml, or name it with --workspace.",
  ]);
  const files = await loadFiles({ "m/a.yaml": "" }, { environment: "prod", values: ["v.yaml"] });
  expect(files.problems.map(({ code, place }) => `${code} ${place?.file}`)).toEqual([
    "SP1013 setpoint.prod.yaml",
    "SP1013 v.yaml",
  ]);
});

test("the problem of an environment that does not exist names those that do", async () => {
  const hintOf = async (files: Readonly<Record<string, string>>) => {
    const { problems } = await loadFiles({ "m/a.yaml": "", ...files }, { environment: "prod" });
    return problems.map(({ hint }) => hint);
  };
  const files = { "setpoint.qa.yaml": "", "setpoint.production.yaml": "", "m/setpoint.not.yaml": "" };
  expect(await hintOf(files)).toEqual(["Environments with a file: production, qa."]);
  expect(await hintOf({})).toEqual(["No environment has a file yet: setpoint.*.yaml."]);
});

test("additional roots of a product have defaults and can be set", async () => {
  const { workspace: opened } = await workspace(`version: 1
services:
  artifacts: { type: artifactory, url: "https://repo.example.com/artifactory" }
  ci: { type: jenkins, url: "https://ci.example.com", urls: { updates: "https://mirror.example.com/jenkins/" } }
`);
  expect(opened?.services.map(({ urls }) => urls)).toEqual([
    { auth: "https://repo.example.com/access" },
    { updates: "https://mirror.example.com/jenkins" },
  ]);
});
