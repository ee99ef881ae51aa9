import { describe, expect, test } from "vitest";
import { line, loadFiles, loadManifest, mistakes, workspaceText } from "../support/workspace.ts";

const spec = "spec: { project: core, branch: main }\n";

test("a document becomes a resource with its address, metadata and place", async () => {
  const text = `# a lock\nkind: Lock\nmetadata: { labels: { train: "2.4" }, protect: true, ignore: [branch], note: why }\n${spec}`;
  const { resources, problems, files } = await loadManifest(text);
  expect(problems).toEqual([]);
  expect(files).toBe(1);
  expect(resources).toEqual([
    {
      address: "review/Lock/core:main",
      service: "review",
      role: "review",
      kind: "Lock",
      key: "core:main",
      scope: "core:main",
      spec: { project: "core", branch: "main" },
      metadata: { labels: { train: "2.4" }, protect: true, ignore: ["branch"], state: "present", note: "why" },
      place: expect.objectContaining({ file: "m/a.yaml", line: 2, column: 7, excerpt: expect.any(Array) }),
      statedAt: expect.any(Function),
    },
  ]);
});

test("a resource knows the place of its document and of each stated field, as deep as the manifest goes", async () => {
  const { resources } = await loadManifest("kind: Lock\nforEach: [main]\nspec:\n  project: core\n  branch: ${each}\n");
  const at = (...path: string[]) => resources[0]?.statedAt?.(path);
  expect(at()).toEqual({ file: "m/a.yaml", line: 1, column: 7 });
  expect(at("branch")).toEqual({ file: "m/a.yaml", line: 5, column: 3 });
  expect(at("branch", "deeper")).toEqual(at("branch"));
  expect(at("reason")).toBeUndefined();
});

test("metadata have defaults", async () => {
  const { resources } = await loadManifest(`kind: Lock\n${spec}`);
  expect(resources[0]?.metadata).toEqual({ labels: {}, protect: false, ignore: [], state: "present" });
});

test("a manifest can be JSON", async () => {
  const text = JSON.stringify({ $schema: "x", kind: "Lock", spec: { project: "core", branch: "main" } }, null, "\t");
  expect((await loadManifest(text)).resources).toHaveLength(1);
});

test("the fields beside the specification are checked", async () => {
  expect(await mistakes(`knd: Lock\nmetadata: { sevice: a, protect: yes, state: gone }\n${spec}extra: 1\n`)).toEqual([
    '1:1+3 SP1004 A manifest has no field "knd". Did you mean "kind"?',
    '2:13+6 SP1004 metadata has no field "sevice". Did you mean "service"?',
    '2:33+3 SP1002 "yes" is not a boolean: write true or false.',
    '2:45+4 SP1002 "gone" is not allowed here: write present or absent.',
    '4:1+5 SP1004 A manifest has no field "extra". | Its fields: $schema, kind, metadata, forEach, spec.',
  ]);
  expect(await mistakes("kind: Lock\n")).toEqual(['1:1+4 SP1003 A manifest needs "spec".']);
  expect(await mistakes("[]\n")).toEqual(["1:1+2 SP1002 A document is a mapping with kind, metadata and spec."]);
});

test("a field with an empty name is unknown, and not a misplaced one", async () => {
  expect(await mistakes(`kind: Lock\n"": 1\n${spec}`)).toEqual([
    '2:1+2 SP1004 A manifest has no field "". | Its fields: $schema, kind, metadata, forEach, spec.',
  ]);
});

test("a misplaced field does not hide other mistakes", async () => {
  const misplaced = 'SP1004 "labels" belongs below metadata.';
  expect(await mistakes(`kind: Lock\nlabels: {}\nmetadata: { protect: 1 }\n${spec}`)).toEqual([
    expect.stringContaining(misplaced),
    "3:22+1 SP1002 1 is not a boolean: write true or false.",
  ]);
  expect(await mistakes("kind: Lock\nproject: core\nspec: main\n")).toEqual([
    expect.stringContaining('SP1004 "project" belongs below spec.'),
    expect.stringContaining('3:7+4 SP1002 "main"'),
  ]);
  const deep = "kind: Lock\nspec: { project: core, branch: main, limits: { hours: 1, labels: 2 } }\n";
  expect(await mistakes(deep)).toEqual(['2:58+6 SP1004 limits has no field "labels". | Its fields: hours.']);
});

test("an unknown kind is reported with a suggestion", async () => {
  expect(await mistakes(`kind: Lok\n${spec}`)).toEqual(['1:7+3 SP1008 There is no kind "Lok". Did you mean "Lock"?']);
});

test("a service must exist and have the kind's role", async () => {
  expect(await mistakes(`kind: Lock\nmetadata: { service: revew }\n${spec}`)).toEqual([
    '2:22+5 SP1009 There is no service "revew". Did you mean "review"? | Services for Lock: review.',
  ]);
  expect(await mistakes(`kind: Lock\nmetadata: { service: wiki }\n${spec}`)).toEqual([
    '2:22+4 SP1009 Lock does not belong to "wiki", which is of type confluence. | Services for Lock: review.',
  ]);
});

test("without metadata.service the only service of the role is used, and several are ambiguous", async () => {
  const other = `${workspaceText}  review-2: { type: gerrit, url: "http://localhost" }\n`;
  const ambiguous = await loadFiles({ "setpoint.yaml": other, "m/a.yaml": `kind: Lock\n${spec}` });
  expect(ambiguous.problems.map(line)).toEqual([
    "1:7+4 SP1009 Lock could belong to review or review-2. | Name one of them in metadata.service.",
  ]);
  const none = `version: 1\nmanifests: [m/*.yaml]\nservices: {}\n`;
  const missing = await loadFiles({ "setpoint.yaml": none, "m/a.yaml": `kind: Lock\n${spec}` });
  expect(missing.problems.map(line)).toEqual([
    "1:7+4 SP1009 The workspace has no service for Lock: setpoint kinds shows its type.",
  ]);
  const named = await loadFiles({
    "setpoint.yaml": other,
    "m/a.yaml": `kind: Lock\nmetadata: { service: review-2 }\n${spec}`,
  });
  expect(named.resources.map(({ address }) => address)).toEqual(["review-2/Lock/core:main"]);
});

test("an ignored field must be a field of the kind", async () => {
  expect(await mistakes(`kind: Lock\nmetadata: { ignore: [brunch] }\n${spec}`)).toEqual([
    '2:22+6 SP1004 Lock has no field "brunch" to ignore. Did you mean "branch"?',
  ]);
});

test("the fields of an acknowledgement must be fields of the kind", async () => {
  const ignoring = (item: string) => mistakes(`kind: Lock\nmetadata:\n  ignore:\n    - ${item}\n${spec}`);
  expect(await ignoring("{ fields: [branch, brunch], until: 2027-01-01, reason: a }")).toEqual([
    '4:26+6 SP1004 Lock has no field "brunch" to ignore. Did you mean "branch"?',
  ]);
  expect(await ignoring("5")).toHaveLength(1);
});

test("an object that always exists cannot be absent", async () => {
  expect(await mistakes("kind: Rule\nmetadata: { state: present }\nspec: { project: core }\n")).toEqual([]);
  expect(await mistakes("kind: Rule\nmetadata: { state: absent }\nspec: { project: core }\n")).toEqual([
    "2:20+6 SP1002 Rule always exists and cannot be absent. | Remove the document to stop managing it.",
  ]);
});

test("a key with a line break is refused", async () => {
  expect(await mistakes('kind: Lock\nspec: { project: "co\\nre", branch: main }\n')).toEqual([
    '1:7+4 SP1002 The key "co\\nre:main" contains a control character or a line break.',
  ]);
});

test("a long address that is declared twice is not cut", async () => {
  const long = `kind: Lock\nspec: { project: ${"p".repeat(100)}, branch: main }\n---\n`;
  expect(await mistakes(long + long)).toEqual([
    expect.stringContaining(`"review/Lock/${"p".repeat(100)}:main" is declared twice.`),
  ]);
});

test("two resources with one address are reported with both places", async () => {
  const { problems, resources } = await loadFiles({
    "setpoint.yaml": workspaceText.replace('"m/*.yaml"', '"m/b*.yaml", "m/a*.yaml"'),
    "m/b.yaml": `\nkind: Lock\n${spec}`,
    "m/a.yaml": `kind: Lock\n${spec}`,
  });
  expect(problems.map(line)).toEqual(['2:7+4 SP1006 "review/Lock/core:main" is declared twice.']);
  expect(problems[0]?.place?.file).toBe("m/b.yaml");
  expect(problems[0]?.other).toMatchObject({ file: "m/a.yaml", line: 1, column: 7 });
  expect(resources).toHaveLength(1);
});

test("two resources that manage the same thing are reported with the claim, whatever their kinds", async () => {
  const { problems } = await loadManifest(`kind: Lock\n${spec}---\nkind: Rule\nspec: { project: core }\n`);
  expect(problems.map(line)).toEqual([
    '4:7+4 SP1016 "review/Lock/core:main" and "review/Rule/core" both manage lock of core.',
  ]);
  expect(problems[0]?.other).toMatchObject({ line: 1, column: 7 });
});

describe("two services at one URL", () => {
  const twice = (text: string) =>
    loadFiles({
      "setpoint.yaml": `${workspaceText}  two: { type: gerrit, url: "HTTPS://Review.example.com:443/" }\n`,
      "m/a.yaml": text,
    });

  test("have the same objects, so one declared with both is reported with both places", async () => {
    const { problems } = await twice(
      `kind: Lock\nmetadata: { service: review }\n${spec}---\nkind: Lock\nmetadata: { service: two }\n${spec}`,
    );
    expect(problems.map(line)).toEqual([
      '5:7+4 SP1016 "review/Lock/core:main" and "two/Lock/core:main" are one object: review and two have the same URL.',
    ]);
    expect(problems[0]?.other).toMatchObject({ line: 1, column: 7 });
  });

  test("share the claims of resources, except for objects that belong to an account", async () => {
    const claimed = await twice(
      `kind: Lock\nmetadata: { service: review }\n${spec}---\nkind: Rule\nmetadata: { service: two }\nspec: { project: core }\n`,
    );
    expect(claimed.problems.map(({ message }) => message)).toEqual([
      '"review/Lock/core:main" and "two/Rule/core" both manage lock of core.',
    ]);
    const own = await twice(
      "kind: Key\nmetadata: { service: review }\nspec: { name: a }\n---\nkind: Key\nmetadata: { service: two }\nspec: { name: a }\n",
    );
    expect(own.problems).toEqual([]);
    expect(own.resources.map(({ address }) => address)).toEqual(["review/Key/a", "two/Key/a"]);
  });
});

test("an absent resource claims nothing", async () => {
  const absent = `kind: Lock\nmetadata: { state: absent }\n${spec}---\nkind: Rule\nspec: { project: core }\n`;
  expect(await mistakes(absent)).toEqual([]);
});

test("the path of a file is relative to the manifest that names it, and its content becomes part of the specification", async () => {
  const { resources, problems } = await loadFiles({
    "m/a.yaml": "kind: Page\nspec: { id: '1', file: ../texts/one.md }\n",
    "texts/one.md": "# One\n",
  });
  expect(problems).toEqual([]);
  expect(resources[0]?.spec).toEqual({ id: "1", body: "# One\n" });
});

test("a file that a manifest names can be a large page of up to 4 MiB", async () => {
  const most = 4 * 1024 * 1024;
  const { resources, problems } = await loadFiles({
    "m/a.yaml": "kind: Page\nspec: { id: '1', file: most.md }\n---\nkind: Page\nspec: { id: '2', file: more.md }\n",
    "m/most.md": "a".repeat(most),
    "m/more.md": "a".repeat(most + 1),
  });
  expect(resources.map(({ key }) => key)).toEqual(["1"]);
  expect(problems.map(line)).toEqual(['5:24+7 SP1017 "more.md" cannot be read: it is larger than 4 MiB.']);
});

test("an unreadable file is reported at its name", async () => {
  const { problems } = await loadFiles({
    "m/a.yaml": ["none.md", "../../out.md", "/etc/passwd", "bad.md"]
      .map((file, id) => `kind: Page\nspec: { id: p${id}, file: ${file} }\n`)
      .join("---\n"),
    "m/bad.md": Uint8Array.of(0xff),
  });
  expect(problems.map(line)).toEqual([
    '2:23+7 SP1017 "none.md" cannot be read: there is no such file.',
    '5:23+12 SP1017 "../../out.md" cannot be read: it is not below the folder of the workspace file.',
    '8:23+11 SP1017 "/etc/passwd" cannot be read: it is not below the folder of the workspace file.',
    '11:23+6 SP1017 "bad.md" cannot be read: it is not UTF-8 text.',
  ]);
});
