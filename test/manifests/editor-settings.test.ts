import { expect, test } from "vitest";
import { editorFiles } from "../../src/manifests/editor-settings.ts";

test.each([
  ["a folder", "node_modules/setpoint/schema", "./node_modules/setpoint/schema"],
  ["a folder that begins with a dot", "../schema", "../schema"],
  ["an absolute path", "/opt/setpoint/schema/", "/opt/setpoint/schema"],
  ["a URL", "https://example.com/schema/", "https://example.com/schema"],
])("schemas in %s are referenced so that editors find them", (_what, schemas, named) => {
  const [settings] = editorFiles({ files: ["a/*.yaml", "b.yaml"], workspaceFile: "work.yaml", schemas });
  expect(JSON.parse(settings?.content ?? "")).toMatchObject({
    "yaml.schemas": {
      [`${named}/manifest.schema.json`]: ["a/*.yaml", "b.yaml"],
      [`${named}/workspace.schema.json`]: ["work.yaml"],
    },
  });
});

test("the extension that reads the settings is recommended", () => {
  const files = editorFiles({ files: [], workspaceFile: "setpoint.yaml", schemas: "schema" });
  expect(files.map(({ path }) => path)).toEqual([".vscode/settings.json", ".vscode/extensions.json"]);
  expect(files[1]?.content).toContain('"redhat.vscode-yaml"');
});
