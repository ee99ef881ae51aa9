import { cp, readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { z } from "zod";
import { load } from "../../src/manifests/load.ts";
import { fakeKind } from "../manifests/support/workspace.ts";
import { setpoint, temporaryFolder } from "../support/commands.ts";
import { inMemory } from "../support/lab.ts";

const example = "examples/policies";

/** A copy of the example with another manifest. */
async function exampleWith(manifest: string) {
  const folder = await temporaryFolder();
  await cp(example, folder.path, { recursive: true });
  await folder.write("manifests/locks.yaml", manifest);
  return folder;
}

/** The first block of a language in the page after the one that shows the workspace file. */
async function shown(language: string): Promise<string> {
  const page = await readFile("docs/policies.md", "utf8");
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, "gms"))].at(-1)?.[1] ?? "";
}

test("the example's manifests are what its policies ask", async () => {
  expect(await setpoint(["validate", "--workspace", example])).toEqual({
    code: 0,
    out: "2 resources in 1 file, no mistakes.\n",
    err: "",
  });
});

test("docs/policies.md shows what is said of a lock without a ticket", async () => {
  await using folder = await exampleWith(await shown("yaml"));
  expect(await setpoint(["validate", "--workspace", folder.path])).toEqual({
    code: 4,
    out: await shown("text"),
    err: "",
  });
});

test.each(["plan", "drift"])("%s asks no service and exits with 4 where a policy refuses", async (command) => {
  await using folder = await exampleWith(await shown("yaml"));
  const { code, out } = await setpoint([command, "--workspace", folder.path, "--json"]);
  const { problems }: { readonly problems: readonly { readonly code: string }[] } = JSON.parse(out);
  expect({ code, codes: problems.map((problem) => problem.code) }).toEqual({ code: 4, codes: ["SP1019"] });
});

test("with a mistake of another sort beside it the exit code is 1", async () => {
  await using folder = await exampleWith(`${await shown("yaml")}---\nkind: BranchLok\nspec: {}\n`);
  expect(await setpoint(["validate", "--workspace", folder.path])).toMatchObject({ code: 1 });
});

const accessToken = fakeKind({
  kind: "AccessToken",
  role: "artifacts",
  spec: z.strictObject({ description: z.string(), expiresIn: z.string().optional() }),
  key: ({ description }) => description,
});

test.each([
  ["365d", true],
  ["90d", true],
  ["8760h", true],
  ["36h", true],
  ["600s", true],
  ["366d", false],
  ["400d", false],
  ["8761h", false],
  ["1y", false],
  ["0d", false],
  [undefined, false],
])("a token that lives for %s is allowed: %s", async (expiresIn, isAllowed) => {
  const path = "policies/token-ends-within-a-year.json";
  const { problems } = await load({
    source: inMemory({
      "setpoint.yaml": `version: 1
services: { artifacts: { type: artifactory, url: "https://repo.example.com" } }
policies: [{ name: tokens-end-within-a-year, schema: ${path} }]
`,
      [path]: await readFile(`${example}/${path}`, "utf8"),
      "manifests/token.yaml": JSON.stringify({ kind: "AccessToken", spec: { description: "ci", expiresIn } }),
    }),
    kinds: new Map([["AccessToken", accessToken]]),
    workspaceFile: "setpoint.yaml",
    variables: {},
  });
  expect(problems.map(({ code }) => code)).toEqual(isAllowed ? [] : ["SP1019"]);
});
