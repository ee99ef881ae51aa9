import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { findKinds } from "../../scripts/generate/kinds.ts";
import { registry } from "../../scripts/generate/registry.ts";

const project = join(import.meta.dirname, "../..");
const folders: string[] = [];

afterEach(async () => {
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })));
});

/** Creates a project folder with the given modules below `src/reconcilers`. */
async function projectWith(modules: Readonly<Record<string, string>>): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), "setpoint-kinds-"));
  folders.push(root);
  await symlink(join(project, "node_modules"), join(root, "node_modules"));
  for (const [file, text] of Object.entries(modules)) {
    const path = join(root, "src/reconcilers", file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  return root;
}

function kindText(constant: string, kind: string, role: string): string {
  return `import { z } from "zod";
export const ${constant} = { kind: "${kind}", role: "${role}", summary: "", budget: { reads: "", writes: "" },
  spec: z.strictObject({}), key: () => "", scope: () => "", observe: async () => new Map() };`;
}

test("kinds are found by the exports of their modules, in the order of their names", async () => {
  const root = await projectWith({
    "wiki/road-sign.ts": kindText("roadSign", "RoadSign", "wiki"),
    "review/area.ts": kindText("area", "Area", "review"),
    "wiki/shared/limit.ts": "export const limit = 3; export function key() { return {}; }",
    "review/gate/gate.ts": kindText("gate", "Gate", "review"),
    "review/gate/hinge.ts": "export const hinge = 1;",
  });
  const found = await findKinds(root);
  expect(found.map(({ file, name }) => [file, name])).toEqual([
    ["review/area.ts", "area"],
    ["review/gate/gate.ts", "gate"],
    ["wiki/road-sign.ts", "roadSign"],
  ]);
  const { path, text } = registry(found);
  expect(path).toBe("src/reconcilers/registry.ts");
  expect(text).toContain('import { roadSign } from "./wiki/road-sign.ts";');
  expect(text).toContain('["Area", () => area],\n  ["Gate", () => gate],\n  ["RoadSign", () => roadSign],');
});

test("refuses a file in a folder of kinds that is not a kind", async () => {
  await expect(findKinds(await projectWith({ "wiki/limit.ts": "export const limit = 3;" }))).rejects.toThrow(
    "wiki/limit.ts exports no kind: what kinds share belongs in shared/.",
  );
});

test.each([
  ["a file in another role's folder", "review/sign.ts", kindText("sign", "Sign", "wiki")],
  ["a file of another name", "wiki/signs.ts", kindText("sign", "Sign", "wiki")],
  ["a constant of another name", "wiki/sign.ts", kindText("Sign", "Sign", "wiki")],
])("refuses %s", async (_what, file, text) => {
  await expect(findKinds(await projectWith({ [file]: text }))).rejects.toThrow(
    "the kind Sign belongs in wiki/sign.ts, exported as sign.",
  );
});
