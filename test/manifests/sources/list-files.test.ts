import { chmodSync, mkdirSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listFiles } from "../../../src/manifests/sources/list-files.ts";
import { type Folder, setpoint, temporaryFolder, workspaceText } from "../../support/commands.ts";

let folder: Folder;
beforeAll(async () => {
  folder = await temporaryFolder();
  for (const path of ["a/b.yaml", "a/deep/c.yaml", "a/deep/er/d.yaml", ".hid/m/e.yaml", "m/.x/f.yaml", "m/g.yaml"])
    await folder.write(path, "");
  for (const path of [".git/h.yaml", "m/.setpoint/i.yaml", "node_modules/j/k.yaml"]) await folder.write(path, "");
});
afterAll(() => folder[Symbol.asyncDispose]());

test.each([
  ["*/*.yaml", ["a/b.yaml", "m/g.yaml"], 3],
  ["a/**/*.yaml", ["a/b.yaml", "a/deep/c.yaml", "a/deep/er/d.yaml"], 4],
  ["./a/[cd]eep/*.yaml", ["a/deep/c.yaml"], 3],
  ["{a,m/deep}/*.yaml", ["a/b.yaml"], 5],
  ["**/c.yaml", ["a/deep/c.yaml"], 5],
  ["nowhere/**/*.yaml", [], 1],
  ["../**/*.yaml", [], 1],
  [".hid/**/*.yaml", [".hid/m/e.yaml"], 3],
  ["m/.?/*.yaml", ["m/.x/f.yaml"], 3],
  ["**/.x/*.yaml", ["m/.x/f.yaml"], 8],
  [".git/*.yaml", [], 1],
  ["**/.setpoint/*.yaml", [], 8],
])("%s finds the right files, and reads only folders that might contain them", async (glob, files, folders) => {
  let read = 0;
  const counted = <T>(work: () => Promise<T>) => {
    read++;
    return work();
  };
  expect({ files: await listFiles(folder.path, [glob], counted), read }).toEqual({ files, read: folders });
});

// macOS does not allow such names.
test.skipIf(process.platform === "darwin")(
  "a folder whose name is not UTF-8 cannot be read, instead of looking empty",
  async () => {
    await using workspace = await temporaryFolder();
    mkdirSync(Buffer.concat([Buffer.from(`${workspace.path}/caf`), Buffer.of(0xe9)]));
    const list = (glob: string) => listFiles(workspace.path, [glob], (work) => work());
    await expect(list("**/*.yaml")).rejects.toThrow("may not be UTF-8");
    expect(await list("m/**/*.yaml")).toEqual([]);
  },
);

test("a folder that cannot be read is an error at its glob, instead of looking empty", async () => {
  await using workspace = await temporaryFolder();
  await workspace.write("setpoint.yaml", `${workspaceText("http://127.0.0.1:1")}manifests: ["m/**/*.yaml"]\n`);
  await workspace.write("m/a.yaml", "");
  await workspace.write("m/secret/b.yaml", "");
  chmodSync(`${workspace.path}/m/secret`, 0o000);
  // Root can read everything unless it lacks the capabilities.
  const plain = process.getuid?.() === 0 ? ["setpriv", "--inh-caps=-all", "--bounding-set=-all"] : [];
  const { code, out, err } = await setpoint(["validate"], { cwd: workspace.path, within: plain });
  chmodSync(`${workspace.path}/m/secret`, 0o700);
  expect(code).toBe(1);
  expect(`${out}${err}`.replace(/\s+/g, " ")).toContain(
    "SP1017 The manifests cannot be listed: m/secret/ cannot be read: permission denied.",
  );
});
