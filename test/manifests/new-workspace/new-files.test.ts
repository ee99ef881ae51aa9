import { expect, test } from "vitest";
import { editorFiles } from "../../../src/manifests/new-workspace/new-files.ts";

test.each([
  ["a folder", "node_modules/setpoint/schema", "./node_modules/setpoint/schema"],
  ["a folder that begins with a dot", "../schema", "../schema"],
  ["an absolute path", "/opt/setpoint/schema/", "/opt/setpoint/schema"],
  ["a URL", "https://example.com/schema/", "https://example.com/schema"],
])("schemas in %s are referenced so that editors find them", (_what, schemas, named) => {
  const [settings] = editorFiles(["a/*.yaml", "b.yaml"], schemas);
  expect(JSON.parse(settings?.content ?? "")).toMatchObject({
    "yaml.schemas": {
      [`${named}/manifest.schema.json`]: ["a/*.yaml", "b.yaml"],
      [`${named}/workspace.schema.json`]: ["setpoint.yaml"],
    },
  });
});

test("the extension that reads the settings is recommended", () => {
  const files = editorFiles([], "schema");
  expect(files.map(({ path }) => path)).toEqual([".vscode/settings.json", ".vscode/extensions.json"]);
  expect(files[1]?.content).toContain('"redhat.vscode-yaml"');
});
