import { expect, test } from "vitest";
import { summary } from "../../src/cli/commands/manifests/validate.ts";
import { openDesk, workflows } from "../support/commands.ts";

const mistakes = `kind: BranchLock
spec:
  projekt: platform/core
  branch: release-2.4
---
kind: ActionsPermission
spec: { org: meridian-kites, repo: website, enabled: yes }
`;

test("valid manifests are counted, and no service is called", async () => {
  await using desk = await openDesk(workflows("website", true));
  expect(await desk.run(["validate"])).toEqual({ code: 0, out: "1 resource in 1 file, no errors.\n", err: "" });
  expect(await desk.run(["validate", "--json"])).toMatchObject({
    code: 0,
    out: `${JSON.stringify({ version: 1, files: 1, resources: 1, unexpanded: 0, problems: [] }, null, 2)}\n`,
  });
  expect(desk.sandbox.requests()).toEqual([]);
});

test("every error is shown with its place, its line and a hint", async () => {
  await using desk = await openDesk(mistakes);
  const { code, out } = await desk.run(["validate"]);
  expect(out).toMatchInlineSnapshot(`
    "manifests/all.yaml:3:3  SP1004  BranchLock has no field "projekt". Did you mean "project"?
      2 │ spec:
      3 │   projekt: platform/core
        │   ^^^^^^^
    manifests/all.yaml:7:54  SP1002  "yes" is not a boolean: write true or false.
      6 │ kind: ActionsPermission
      7 │ spec: { org: meridian-kites, repo: website, enabled: yes }
        │                                                      ^^^
    2 errors in 1 of 1 file. Nothing was read from any service.
    "
  `);
  expect(code).toBe(1);
});

test("--json reports the same errors, with codes and places", async () => {
  await using desk = await openDesk(mistakes);
  const { code, out } = await desk.run(["validate", "--json"]);
  const { version, problems }: ProblemList = JSON.parse(out);
  expect({ code, version, problems: problems.map(({ code, place }) => [code, place.line, place.column]) }).toEqual({
    code: 1,
    version: 1,
    problems: [
      ["SP1004", 3, 3],
      ["SP1002", 7, 54],
    ],
  });
});

interface ProblemList {
  readonly version: number;
  readonly problems: readonly {
    readonly code: string;
    readonly place: { readonly line: number; readonly column: number };
  }[];
}

test("variables come from --var, --values and the environment's file", async () => {
  await using desk = await openDesk(
    'kind: BranchLock\nspec: { project: "platform/${var.project}", branch: "${var.branch}", reason: "${var.reason}" }\n',
  );
  await desk.write("setpoint.nightly.yaml", "project: ui\n");
  await desk.write("more.yaml", "branch: main\n");
  const { code, out } = await desk.run(["validate", "-e", "nightly", "--values", "more.yaml", "--var", "reason=a=b"]);
  expect({ code, out }).toEqual({ code: 0, out: "1 resource in 1 file, no errors.\n" });
  expect((await desk.run(["validate", "--var", "=b"])).code).toBe(1);
  const unnamed = await desk.run(["validate", "--values", ""]);
  expect(unnamed).toMatchObject({ code: 1, err: expect.stringContaining("Expected the name of a file.") });
});

test("the summary counts errors, and the files that have them if any", () => {
  const inFile = (file: string) => ({ code: "SP1003", message: "", place: { file, line: 1, column: 1 } }) as const;
  const ending = "Nothing was read from any service.";
  expect(summary([inFile("a"), inFile("a")], 2)).toBe(`2 errors in 1 of 2 files. ${ending}`);
  expect(summary([inFile("setpoint.yaml")], 0)).toBe(`1 error. ${ending}`);
  expect(summary([{ code: "SP1017", message: "" }], 0)).toBe(`1 error. ${ending}`);
});

test("a workspace can be given by its folder or its file, from any folder", async () => {
  await using desk = await openDesk(workflows("website", true));
  for (const path of [desk.path, `${desk.path}/setpoint.yaml`])
    expect(await desk.open({ path }).validate()).toMatchObject({ problems: [], files: 1 });
  expect(await desk.run(["validate", "--workspace", "nowhere"])).toMatchInlineSnapshot(`
    {
      "code": 1,
      "err": "",
      "out": "setpoint.yaml:1:1  SP1013  The file cannot be read: there is no file or folder "nowhere".
      Hint: Run setpoint in the folder of the workspace file, name it with --workspace (not a link to
        it), or make one with setpoint init.
    1 error. Nothing was read from any service.
    ",
    }
  `);
});
