import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openDesk, workflows } from "../support/commands.ts";
import { problemsOf } from "../support/lab.ts";

const untidy = `spec: {org: meridian-kites, repo: "wiki", enabled: true}
kind: ActionsPermission # a note
`;
const tidy = `kind: ActionsPermission # a note
spec: { org: meridian-kites, repo: wiki, enabled: true }
`;

test("fmt --check lists files and writes nothing; fmt writes them and leaves files with errors alone", async () => {
  await using desk = await openDesk(workflows("website", true));
  await desk.write("manifests/untidy.yaml", untidy);
  await desk.write("manifests/wrong.yaml", untidy.replace("org:", "orgg:"));
  const read = (file: string) => readFileSync(join(desk.path, "manifests", file), "utf8");
  const check = await desk.run(["fmt", "--check", "manifests/untidy.yaml"]);
  expect(check).toEqual({
    code: 1,
    out: "manifests/untidy.yaml is not formatted.\n1 of 1 manifest to format: run setpoint fmt.\n",
    err: "",
  });
  expect(read("untidy.yaml")).toBe(untidy);
  const all = await desk.run(["fmt"]);
  expect(all.out).toContain("manifests/wrong.yaml:1:8  SP1004");
  expect(all.out).toContain("Files with errors were left as they are.");
  expect(all.out).toContain("Formatted manifests/untidy.yaml.\n");
  expect(all.code).toBe(1);
  expect(read("untidy.yaml")).toBe(tidy);
  expect(read("wrong.yaml")).toBe(untidy.replace("org:", "orgg:"));
  expect(await desk.run(["fmt", "--check", "manifests/untidy.yaml"])).toMatchObject({
    code: 0,
    out: "1 manifest: nothing to format.\n",
  });
  await desk.write("manifests/untidy.yaml", untidy);
  const { code, out } = await desk.run(["fmt", "manifests/untidy.yaml", "--json"]);
  expect({ code, ...JSON.parse(out) }).toMatchObject({ code: 0, written: true, files: ["manifests/untidy.yaml"] });
  expect(desk.sandbox.requests()).toEqual([]);
});

test("a file that has changed in the meantime is not overwritten, and a path without a manifest is reported", async () => {
  await using desk = await openDesk(untidy);
  const { files, write } = await desk.open().format();
  expect(files.map(({ file, after }) => [file, after])).toEqual([["manifests/all.yaml", tidy]]);
  const path = join(desk.path, "manifests/all.yaml");
  writeFileSync(path, `${untidy}# more\n`);
  expect(await problemsOf(write())).toMatchObject([{ code: "SP4003" }]);
  expect(readFileSync(path, "utf8")).toBe(`${untidy}# more\n`);
  const { problems, looked } = await desk.open().format([join(desk.path, "manifests/al.yaml")]);
  expect({ looked, problems }).toMatchObject({
    looked: 0,
    problems: [{ code: "SP1018", hint: "Did you mean manifests/all.yaml?" }],
  });
  const { out } = await desk.run(["fmt", "manifests/al.yaml"]);
  expect(out).toMatch(/^SP1018 .*\n {2}Hint: .*\n1 error\. Files with errors were left as they are\.\n$/);
  expect((await desk.run(["fmt", "elsewhere"])).out).toContain(
    "Hint: The manifests of the workspace: manifests/all.yaml.\n",
  );
  const json = await desk.run(["fmt", "manifests/al.yaml", "--json"]);
  expect(JSON.parse(json.out)).toMatchObject({ written: false, files: [] });
});
