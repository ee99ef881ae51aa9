import { readFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { globSync } from "tinyglobby";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kinds as registered } from "../../src/reconcilers/registry.ts";
import { type Editor, openEditor } from "../support/editor.ts";

const kinds = [...registered.values()];
let editor: Editor;

beforeAll(async () => {
  editor = await openEditor();
});

afterAll(() => editor[Symbol.asyncDispose]());

/** A valid first document, so that each question is about the second one. */
const first = "kind: WikiPage\nspec:\n  id: '48213'\n---\n";

/** Returns what is offered, by label. */
async function offered(text: string, path?: string): Promise<Readonly<Record<string, string | undefined>>> {
  const items = await editor.offers(text, path);
  return Object.fromEntries(items.map(({ label, insertText }) => [label, insertText]));
}

describe("in a manifest, the YAML language server offers", () => {
  test("kind, with its colon", async () => {
    expect(await offered("ki|")).toMatchObject({ kind: "kind: ", spec: "spec:\n  ", metadata: "metadata:\n  " });
  });

  test("every kind, with its own description", async () => {
    const items = await editor.offers(`${first}kind: |\n`);
    expect(items.map(({ label, documentation }) => [label, documentation])).toEqual(
      kinds.map(({ kind, summary }) => [kind, summary]),
    );
  });

  test("a whole document of each kind, with its required fields, and only where no document has begun", async () => {
    const begun = await offered("|");
    expect(begun).toMatchObject(Object.fromEntries(kinds.map(({ kind }) => [kind, expect.stringContaining(kind)])));
    expect(begun.AccessRule).toBe(
      "kind: AccessRule\nspec:\n  project: $1\n  ref: $2\n  permission: $3\n  rules:\n    - $4",
    );
    expect(await offered(`${first}Br|\n`)).toHaveProperty("BranchLock");
    expect(await offered("kind: WikiPage\nm|\n")).not.toHaveProperty("BranchLock");
  });

  test("only the fields of the kind, with their colons and defaults", async () => {
    expect(await offered(`${first}kind: BranchLock\nspec:\n  p|\n`)).toEqual({
      BranchLock: "project: $1\nbranch: $2",
      project: "project: ",
      branch: "branch: ",
      permissions: "permissions:\n  - ${1:submit}\n  - ${2:push}\n  - ${3:pushMerge}\n  - ${4:create}\n  - ${5:delete}",
      reviewUploads: "reviewUploads: ${1:true}",
      groups: "groups:\n  - ${1:global:Registered-Users}",
      exclusive: "exclusive: ${1:true}",
      force: "force: ${1:false}",
      moveOpenChangesTo: "moveOpenChangesTo: ",
      reason: "reason: ",
    });
  });

  test("the values of a field", async () => {
    expect(Object.keys(await offered("kind: WikiPage\nmetadata:\n  state: |\n"))).toEqual(["present", "absent"]);
  });
});

test("in setpoint.yaml it offers services and their products", async () => {
  expect(await offered("ver|\n", "*/setpoint.yaml")).toMatchObject({ services: expect.stringMatching(/^services:\n/) });
  const products = await offered("version: 1\nservices:\n  review:\n    type: |\n", "*/setpoint.yaml");
  expect(products).toMatchObject({ gerrit: "gerrit", confluence: "confluence" });
});

describe("on hover, the YAML language server describes", () => {
  test("a kind", async () => {
    const text = await editor.hover(`${first}kind: Branch|Lock\nspec: { project: a, branch: b }\n`);
    expect(text).toMatch(/^#### BranchLock\n\nA branch that nobody may submit or push to\.\n\nSource: \[/);
  });

  test("a field, with its markup", async () => {
    const text = await editor.hover("kind: BranchLock\nspec:\n  project: a\n  bran|ch: b\n");
    expect(text).toMatch(
      /^#### BranchLock\n\nName of the branch without `refs\/heads\/`, or a regular expression between `\^` and `\$`\.\n\nSource/,
    );
  });

  test("a setting beside the specification", async () => {
    const text = await editor.hover("kind: BranchLock\nmetadata:\n  sta|te: absent\n");
    expect(text).toMatch(/^#### A manifest of setpoint\n\n`absent`: the resource should not exist\./);
  });
});

describe("the YAML language server marks", () => {
  test("an error in the second document, which a modeline does not reach", async () => {
    const documents = `${first}kind: BranchLock\nspec:\n  projekt: a\n  branch: b\n`;
    expect(await editor.mistakes(documents)).toEqual([
      '6: Missing property "project".',
      "7: Property projekt is not allowed.",
    ]);
    const modeline = "# yaml-language-server: $schema=../node_modules/setpoint/schema/manifest.schema.json\n";
    expect(await editor.mistakes(modeline + documents, "elsewhere/*.yaml")).toEqual([]);
  });

  test("an unknown kind, a value that is not listed, and text where only a placeholder could be", async () => {
    const text = "kind: BranchLok\nmetadata: { state: gone, protect: yes }\nspec: {}\n";
    expect(await editor.mistakes(text)).toEqual([
      expect.stringMatching(/^1: Value must be "AccessRule" \| .*"WikiPage"\.$/),
      "2: Expected true or false, or one placeholder such as ${var.name}.",
      '2: Value is not accepted. Valid values: "present", "absent".',
    ]);
  });

  test("nothing in the examples", async () => {
    const files = globSync("examples/{kinds,tour,policies}/{*,manifests/*}.yaml");
    expect(files.length).toBeGreaterThan(kinds.length);
    const marked = files.map(async (file) => {
      // The modeline names the schema relative to the original file.
      const text = readFileSync(file, "utf8").replace("# yaml-language-server: $schema=", "# The schema: ");
      const isWorkspace = basename(file) === "setpoint.yaml";
      return {
        file,
        mistakes: await editor.mistakes(text, isWorkspace ? `${dirname(file)}/setpoint.yaml` : undefined),
      };
    });
    expect((await Promise.all(marked)).filter(({ mistakes }) => mistakes.length > 0)).toEqual([]);
  });

  test("nothing in repeated documents whose values are placeholders", async () => {
    const repeated = `kind: BranchLock
forEach:
  project: { from: { operation: listProjects, match: "platform/*" } }
  branch: [release-2.2, "^archive/.*$"]
metadata: { protect: "\${var.protect}", note: "!" }
spec:
  project: \${each.project}
  branch: \${each.branch}
  exclusive: \${var.exclusive}
  reason: "\${var.who}: frozen"
`;
    expect(await editor.mistakes(first + repeated)).toEqual([]);
  });
});

test("the YAML language server uses no network with the settings of init; the catalog of schemas would", async () => {
  await editor.mistakes(first);
  expect(editor.asked).toEqual([]);
  await using online = await openEditor({ settings: { "yaml.schemaStore.enable": true } });
  expect(online.asked).toEqual(["www.schemastore.org"]);
});
