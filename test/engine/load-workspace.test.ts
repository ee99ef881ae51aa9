import { expect, test } from "vitest";
import { allServices } from "../../src/clients/find-service.ts";
import { loadBase } from "../../src/engine/load-workspace.ts";
import { openWorkspace } from "../../src/setpoint.ts";
import { kinds, memoryFiles, workspaceText } from "../manifests/support/workspace.ts";

const files = {
  "setpoint.yaml": `${workspaceText}variables: { stage: test }\n`,
  "setpoint.live.yaml": "stage: live\n",
  "m/a.yaml": "kind: Account\nspec: { name: 'robot-${var.stage}' }\n",
};

test.each([
  [{}, ["wiki/Account/robot-test"]],
  [{ environment: "live" }, ["wiki/Account/robot-live"]],
  [{ values: ["setpoint.live.yaml"] }, ["wiki/Account/robot-live"]],
  [{ environment: "fresh" }, []],
  [{ values: ["values/moved.yaml"] }, []],
])("with %j a base declares %j, and nothing without its variables", async (naming, addresses) => {
  const reading = { kinds, types: allServices, workspaceFile: "setpoint.yaml", variables: { later: "1" }, ...naming };
  const { resources, problems } = await loadBase(reading, "main", async () => memoryFiles(files), {});
  expect([resources.map(({ address }) => address), problems]).toEqual([addresses, []]);
});

test("nothing is imported for an environment that does not exist, and doctor counts the error", async () => {
  const settings = { "setpoint.yaml": "version: 1\nservices: {}\n", "setpoint.live.yaml": "" };
  const open = (environment: string) => openWorkspace({ files: memoryFiles(settings), environment, env: {} });
  expect(await open("lvie").importFrom("review")).toMatchObject({
    is: "wrong",
    problems: [{ code: "SP1013", place: { file: "setpoint.lvie.yaml" } }],
  });
  expect(await open("lvie").doctor()).toMatchObject({ errors: 1 });
  expect(await open("live").doctor()).toMatchObject({ errors: 0 });
});
