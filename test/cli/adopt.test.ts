import { chmod, readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { replaceFiles } from "../../src/engine/adopt/rewritten-files.ts";
import { type Desk, hasTerminals, lock, openDesk, temporaryFolder, workflows } from "../support/commands.ts";
import { problemsOf } from "../support/lab.ts";

const website = `# Who may run workflows.
kind: ActionsPermission
spec:
  org: meridian-kites
  repo: website
  enabled: true # since 2024
`;

/** Opens a desk whose website no longer runs workflows. */
async function driftedDesk(manifests: string, settings?: string): Promise<Desk> {
  const desk = await openDesk(manifests, settings === undefined ? {} : { settings });
  desk.sandbox.change(({ hosting }) => {
    for (const { name, actions } of hosting.repositories) if (name === "website") actions.enabled = false;
  });
  return desk;
}

function manifest({ path }: Desk): Promise<string> {
  return readFile(join(path, "manifests/all.yaml"), "utf8");
}

test("--yes writes the live value in place of the field's value and ends with the diff", async () => {
  await using desk = await driftedDesk(`\ufeff${website}`);
  await chmod(join(desk.path, "manifests/all.yaml"), 0o640);
  const { code, out, err } = await desk.run(["adopt", "--yes"]);
  expect(out).toMatchInlineSnapshot(`
    "--- a/manifests/all.yaml
    +++ b/manifests/all.yaml
    @@ -3,4 +3,4 @@
     spec:
       org: meridian-kites
       repo: website
    -  enabled: true # since 2024
    +  enabled: false # since 2024
    Adopted 1 live value of 1 resource in 1 file.
    "
  `);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(await manifest(desk)).toBe(`\ufeff${website.replace("true", "false")}`);
  expect((await stat(join(desk.path, "manifests/all.yaml"))).mode & 0o777).toBe(0o640);
  expect(await readdir(join(desk.path, "manifests"))).toEqual(["all.yaml"]);
  expect(await desk.open().adopt()).toMatchObject({ is: "adopted", adoption: { files: [], refusals: [] } });
  expect(desk.sandbox.requests().filter(({ effect }) => effect === "write")).toEqual([]);
});

test("without a terminal and without --yes it asks nothing and writes nothing", async () => {
  await using desk = await driftedDesk(website);
  const { code, out } = await desk.run(["adopt"]);
  expect(out).toContain("SP5001  adopt asks before it writes, and no terminal is attached.");
  expect({ code, text: await manifest(desk), asked: desk.sandbox.requests() }).toEqual({
    code: 1,
    text: website,
    asked: [],
  });
});

test.skipIf(!hasTerminals)('on a terminal it asks, and only "yes" confirms (needs util-linux\'s script)', async () => {
  await using desk = await driftedDesk(website);
  const no = await desk.type(["adopt"], "sure\n");
  expect(no.out).toContain('Write this file? Only "yes" is a yes: ');
  expect({ code: no.code, text: await manifest(desk) }).toEqual({ code: 4, text: website });
  const yes = await desk.type(["adopt"], "yes\n");
  expect(yes.out).toContain("Adopted 1 live value of 1 resource in 1 file.");
  expect({ code: yes.code, text: await manifest(desk) }).toEqual({ code: 0, text: website.replace("true", "false") });
});

test("names what cannot be adopted with its place and reason; --dry-run shows the rest and writes nothing", async () => {
  const variable = website.replace("website", "handbook").replace("true", "${var.on}");
  const manifests = `${website}---\n${variable}---\n${lock("platform/core", "none")}`;
  await using desk = await driftedDesk(manifests, "variables: { on: false }\n");
  const { code, out } = await desk.run(["adopt", "--dry-run"]);
  expect(out).toMatchInlineSnapshot(`
    "manifests/all.yaml:13:12  SP1020  enabled: The value comes from \${var.on}.
      Resource: hosting/ActionsPermission/meridian-kites/handbook
      12 │   repo: handbook
      13 │   enabled: \${var.on} # since 2024
         │            ^^^^^^^^^
      Hint: Write out the value that should differ, then adopt it.
    manifests/all.yaml:16:7  SP1020  review/BranchLock/platform/core:none is declared, but the service
        does not have it.
      15 │ ---
      16 │ kind: BranchLock
         │       ^^^^^^^^^^
      Hint: Remove the document or set state: absent, or restore the object with an apply.
    2 differences cannot be adopted.
    --- a/manifests/all.yaml
    +++ b/manifests/all.yaml
    @@ -3,7 +3,7 @@
     spec:
       org: meridian-kites
       repo: website
    -  enabled: true # since 2024
    +  enabled: false # since 2024
     ---
     # Who may run workflows.
     kind: ActionsPermission
    Nothing was written: 1 live value of 1 resource in 1 file to adopt.
    "
  `);
  expect({ code, text: await manifest(desk) }).toEqual({ code: 4, text: manifests });
});

test("--json reports the same, with diffs that git can apply, and writes what can be adopted", async () => {
  await using desk = await driftedDesk(website + lock("platform/core", "none"));
  const { code, out } = await desk.run(["adopt", "--json", "--yes"]);
  const diff = `--- a/manifests/all.yaml
+++ b/manifests/all.yaml
@@ -3,7 +3,7 @@
 spec:
   org: meridian-kites
   repo: website
-  enabled: true # since 2024
+  enabled: false # since 2024
 ---
 kind: BranchLock
 spec: { project: platform/core, branch: none }
`;
  expect({ code, told: JSON.parse(out) }).toEqual({
    code: 4,
    told: {
      version: 1,
      written: true,
      files: [{ file: "manifests/all.yaml", diff }],
      adopted: [{ address: "hosting/ActionsPermission/meridian-kites/website", fields: ["enabled"] }],
      refusals: [expect.objectContaining({ code: "SP1020", address: "review/BranchLock/platform/core:none" })],
      unknown: [],
    },
  });
  expect(await manifest(desk)).toContain("enabled: false # since 2024\n---\n");
});

test("addresses, --service and --kind select what to adopt", async () => {
  await using desk = await driftedDesk(website + workflows("handbook", true) + lock("platform/core", "none"));
  expect(await desk.run(["adopt", "--yes", "hosting/*handbook"])).toEqual({
    code: 0,
    out: "Nothing to adopt: no known value differs.\n",
    err: "",
  });
  const { code, out } = await desk.run(["adopt", "--yes", "nowhere", "--service", "mail", "--kind", "Sign"]);
  expect(code).toBe(1);
  expect(out).toMatch(
    /^SP1018 {2}--service mail .*^SP1018 {2}--kind Sign .*^SP1018 {2}nowhere .*^Nothing was written\.\n$/ms,
  );
  expect(await manifest(desk)).toContain("enabled: true # since");
  const adopting = await desk.open().adopt({ service: ["hosting"] });
  expect(adopting).toMatchObject({ is: "adopted", adoption: { adopted: [{ fields: ["enabled"] }], refusals: [] } });
});

test("leaves unknown resources alone", async () => {
  await using desk = await driftedDesk(website);
  const { code, out } = await desk.run(["adopt", "--yes"], { SETPOINT_HOSTING_TOKEN: "wrong" });
  expect(out).toContain("? 1 resource");
  expect({ code, text: await manifest(desk) }).toEqual({ code: 3, text: website });
});

test("does not write a live value that a policy refuses", async () => {
  await using desk = await driftedDesk(website, "policies: [{ name: workflows-run, schema: runs.yaml }]\n");
  await desk.write("runs.yaml", "properties: { spec: { properties: { enabled: { const: true } } } }\n");
  const message = expect.stringMatching(
    /^enabled: The manifest would be invalid with the live value\. SP1019: Policy workflows-run: false is not allowed here/,
  );
  expect(await desk.open().adopt()).toMatchObject({
    is: "adopted",
    adoption: { files: [], refusals: [{ code: "SP1020", message }] },
  });
});

test("a file that has changed in the meantime is left as it is, and so are the others", async () => {
  await using folder = await temporaryFolder();
  await folder.write("a.yaml", "a: 1\n");
  await folder.write("b.yaml", "b: 2 # changed\n");
  const files = ["a", "b"].map((name) => ({ file: `${name}.yaml`, before: `${name}: 1\n`, after: `${name}: 3\n` }));
  expect(await problemsOf(replaceFiles(folder.path, files))).toMatchObject([{ code: "SP4003" }]);
  expect((await readdir(folder.path)).toSorted()).toEqual(["a.yaml", "b.yaml"]);
  expect(await readFile(join(folder.path, "a.yaml"), "utf8")).toBe("a: 1\n");
  expect(await readFile(join(folder.path, "b.yaml"), "utf8")).toBe("b: 2 # changed\n");
});
