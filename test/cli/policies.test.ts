import { cp, readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { inputExitCode } from "../../src/cli/exit.ts";
import { allServices } from "../../src/clients/find-service.ts";
import { load } from "../../src/manifests/load.ts";
import { kinds } from "../../src/reconcilers/registry.ts";
import { openWorkspace } from "../../src/setpoint.ts";
import { setpoint, temporaryFolder } from "../support/commands.ts";
import { inMemory } from "../support/in-memory.ts";

const example = "examples/policies";

/** A copy of the example with another manifest. */
async function exampleWith(manifest: string) {
  const folder = await temporaryFolder();
  await cp(example, folder.path, { recursive: true });
  await folder.write("manifests/locks.yaml", manifest);
  return folder;
}

/** The first code block in a language after the block of the page that shows the workspace file. */
async function shown(language: string): Promise<string> {
  const page = await readFile("docs/policies.md", "utf8");
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, "gms"))].at(-1)?.[1] ?? "";
}

test("the manifests of the example satisfy its policies", async () => {
  const { resources, problems } = await openWorkspace({ path: example, env: {} }).validate();
  expect({ resources: resources.length, problems }).toEqual({ resources: 4, problems: [] });
});

test("docs/policies.md shows what is printed for a lock without a ticket", async () => {
  await using folder = await exampleWith(await shown("yaml"));
  expect(await setpoint(["validate", "--workspace", folder.path])).toEqual({
    code: 4,
    out: await shown("text"),
    err: "",
  });
});

test("plan exits with 4 if a policy refuses a manifest, and neither plan nor drift calls a service", async () => {
  await using folder = await exampleWith(await shown("yaml"));
  const { code, out } = await setpoint(["plan", "--workspace", folder.path, "--json"]);
  const { problems }: { readonly problems: readonly { readonly code: string }[] } = JSON.parse(out);
  expect({ code, codes: problems.map((problem) => problem.code) }).toEqual({ code: 4, codes: ["SP1019"] });
  const openSessions = () => {
    throw new Error("A service was asked.");
  };
  const workspace = openWorkspace({ path: folder.path, env: {}, openSessions });
  for (const planned of [await workspace.plan(), await workspace.drift()])
    expect(planned).toMatchObject({ is: "wrong", problems: [{ code: "SP1019" }] });
});

test("with an error of another type as well, the exit code is 1", async () => {
  await using folder = await exampleWith(`${await shown("yaml")}---\nkind: BranchLok\nspec: {}\n`);
  const { problems } = await openWorkspace({ path: folder.path, env: {} }).validate();
  expect(problems.map(({ code }) => code).toSorted()).toEqual(["SP1008", "SP1019"]);
  expect(inputExitCode(problems)).toBe(1);
});

test.each([
  ["AccessToken", { expiresIn: "365d" }, true],
  ["AccessToken", { expiresIn: "90d" }, true],
  ["AccessToken", { expiresIn: "8760h" }, true],
  ["AccessToken", { expiresIn: "36h" }, true],
  ["AccessToken", { expiresIn: "86400s" }, true],
  ["AccessToken", { expiresIn: "52w" }, true],
  ["AccessToken", { expiresIn: "86400000ms" }, true],
  ["AccessToken", { expiresIn: "366d" }, false],
  ["AccessToken", { expiresIn: "53w" }, false],
  ["AccessToken", { expiresIn: "400d" }, false],
  ["AccessToken", { expiresIn: "8761h" }, false],
  ["AccessToken", { expiresIn: "never" }, false],
  ["AccessToken", {}, false],
  ["PersonalToken", { validFor: 12 }, true],
  ["PersonalToken", { validFor: 13 }, false],
  ["PersonalToken", {}, false],
])("an %s with %j ends within a year: %s", async (kind, spec, isAllowed) => {
  const path = "policies/token-ends-within-a-year.json";
  const { problems } = await load({
    source: inMemory({
      "setpoint.yaml": await readFile(`${example}/setpoint.yaml`, "utf8"),
      [path]: await readFile(`${example}/${path}`, "utf8"),
      "policies/lock-has-ticket.json": "{}",
      "manifests/token.yaml": JSON.stringify({ kind, spec: { description: "ci", ...spec } }),
    }),
    kinds,
    types: allServices,
    workspaceFile: "setpoint.yaml",
    variables: {},
  });
  expect(problems.map(({ code }) => code)).toEqual(isAllowed ? [] : ["SP1019"]);
});
