import { parse } from "jsonc-parser";
import { describe, expect, test } from "vitest";
import { merged } from "../../../src/manifests/new-workspace/merge.ts";
import { newFiles } from "../../../src/manifests/new-workspace/new-files.ts";

const files = newFiles({ services: [], schemas: "node_modules/setpoint/schema" });
const fileAt = (path: string) => {
  const found = files.find((file) => file.path === path);
  if (found === undefined) throw new Error(`${path} is not among the files.`);
  return found;
};
const ignored = (before: string) => merged(fileAt(".gitignore"), before);
const settings = (before: string) => merged(fileAt(".vscode/settings.json"), before);

test("merging into a file a second time changes nothing", () => {
  for (const file of files) {
    const befores =
      file.present === "settings" ? ["", "{}", '{ "a": 1 }', file.content] : ["", "a", "a\n", file.content];
    for (const before of befores) {
      const once = merged(file, before);
      expect(merged(file, once)).toBe(once);
    }
    expect(merged(file, file.content)).toBe(file.content);
  }
});

test("an empty file gets what a new one has, and blank settings are no mistake", () => {
  for (const file of files.filter(({ present }) => present !== "keep")) expect(merged(file, "")).toBe(file.content);
  expect(settings(" \n")).toBe(fileAt(".vscode/settings.json").content);
});

test("an existing workspace file is never changed", () => {
  expect(merged(fileAt("setpoint.yaml"), "version: 1\n")).toBe("version: 1\n");
});

describe("the list of files that git ignores", () => {
  test("gets the missing lines at its end, after completing its last line", () => {
    expect(ignored("node_modules")).toBe("node_modules\n.setpoint/\nplan.json\n");
  });

  test("keeps Windows line endings", () => {
    expect(ignored("dist\r\n")).toBe("dist\r\n.setpoint/\r\nplan.json\r\nnode_modules/\r\n");
  });

  test.each([".setpoint", "/.setpoint", "/.setpoint/", "  .setpoint/  "])("%j counts as present", (line) => {
    const before = `${line}\n/plan.json\nnode_modules\n`;
    expect(ignored(before)).toBe(before);
  });
});

describe("the settings of an editor", () => {
  test("keep their comments, their order and their values", () => {
    const before = `// Of the team.
{
    "editor.tabSize": 2, // as in the style guide
    "yaml.schemas": {
        "https://example.com/ci.json": "ci.yaml",
    },
    /* nobody's business */
    "yaml.schemaStore.enable": true,
}
`;
    const after = settings(before);
    expect(after).toMatchInlineSnapshot(`
      "// Of the team.
      {
          "editor.tabSize": 2, // as in the style guide
          "yaml.schemas": {
              "https://example.com/ci.json": "ci.yaml",
              "./node_modules/setpoint/schema/manifest.schema.json": [
                  "manifests/**/*.yaml"
              ],
              "./node_modules/setpoint/schema/workspace.schema.json": [
                  "setpoint.yaml"
              ],
          },
          /* nobody's business */
          "yaml.schemaStore.enable": true,
          "yaml.disableDefaultProperties": true,
      }
      "
    `);
    expect(parse(after, [], { allowTrailingComma: true })["yaml.schemaStore.enable"]).toBe(true);
  });

  test("get an additional pattern if they already name the schema", () => {
    const schema = "./node_modules/setpoint/schema/manifest.schema.json";
    const globs = (own: unknown) =>
      parse(settings(JSON.stringify({ "yaml.schemas": { [schema]: own } })))["yaml.schemas"][schema];
    expect(globs("infra/*.yaml")).toEqual(["infra/*.yaml", "manifests/**/*.yaml"]);
    expect(globs(["infra/*.yaml"])).toEqual(["infra/*.yaml", "manifests/**/*.yaml"]);
    expect(globs("manifests/**/*.yaml")).toBe("manifests/**/*.yaml");
  });

  test("are indented as they were", () => {
    expect(settings('{\n\t"a": 1\n}\n')).toContain('\n\t"yaml.schemas": {\n\t\t');
  });

  test.each(["{", "[]", "null", "settings"])("%j is left alone", (before) => {
    expect(() => settings(before)).toThrow("SP1001 .vscode/settings.json is not a JSON object");
  });

  test("are left alone if they are nested so deeply that reading them would exhaust the stack", () => {
    const deep = `{ // "\n"a": ${"[".repeat(5000)}${"]".repeat(5000)} }`;
    expect(() => settings(deep)).toThrow("SP1001 .vscode/settings.json is not a JSON object");
  });
});
