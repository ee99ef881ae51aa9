import { Document } from "yaml";
import type { NewService } from "./new-service.ts";

/** A file that a workspace begins with, and how to treat an existing file at its path. */
export interface NewFile {
  /** Relative to the folder of the workspace, with / between names. */
  readonly path: string;
  readonly content: string;
  /** `keep`: it stays unchanged. `lines`: missing lines are added. `settings`: missing JSON entries are added. */
  readonly present: "keep" | "lines" | "settings";
}

/** Where the manifests of a new workspace are. */
const manifestGlobs: readonly string[] = ["manifests/**/*.yaml"];

/**
 * Returns the files of a workspace. `schemas` is the folder of the JSON Schemas, relative to that of the workspace;
 * `manifests` are the globs of an existing workspace.
 */
export function newFiles(input: {
  readonly services: readonly NewService[];
  readonly schemas: string;
  readonly manifests?: readonly string[] | undefined;
}): readonly NewFile[] {
  const { services, schemas, manifests = manifestGlobs } = input;
  // Init advises to install the schemas there.
  const packages = schemas.startsWith("node_modules/") ? "node_modules/\n" : "";
  return [
    { path: workspaceFileName, content: workspaceText(services, schemas), present: "keep" },
    // Journals and saved plans contain what was observed on a service, so they do not belong in the repository.
    { path: ".gitignore", content: `.setpoint/\nplan.json\n${packages}`, present: "lines" },
    ...editorFiles(manifests, schemas),
  ];
}

/** The default name of a workspace file, for users who name only its folder. */
export const workspaceFileName = "setpoint.yaml";

function workspaceText(services: readonly NewService[], schemas: string): string {
  const document = new Document({
    version: 1,
    manifests: manifestGlobs,
    services: Object.fromEntries(services.map(({ name, type, url }) => [name, { type, url }])),
  });
  const text = document.toString({ lineWidth: 0 });
  return `# yaml-language-server: $schema=${schemas}/workspace.schema.json\n${text}`;
}

/**
 * Returns the settings that tell editors with the YAML language server which schema belongs to which file. Settings apply
 * to every document of a file; a modeline applies only to the first one. `schemas` is a folder, relative to that of the
 * workspace file, or a URL.
 */
export function editorFiles(manifests: readonly string[], schemas: string): readonly NewFile[] {
  const schema = (name: string) => `${schemaRoot(schemas)}/${name}.schema.json`;
  const settings = {
    "yaml.schemas": { [schema("manifest")]: manifests, [schema("workspace")]: [workspaceFileName] },
    // The catalog would be downloaded at every start, and its schemas belong to other programs.
    "yaml.schemaStore.enable": false,
    // A completion inserts required fields, not every field that has a default.
    "yaml.disableDefaultProperties": true,
  };
  return [
    { path: ".vscode/settings.json", content: jsonText(settings), present: "settings" },
    {
      path: ".vscode/extensions.json",
      content: jsonText({ recommendations: ["redhat.vscode-yaml"] }),
      present: "settings",
    },
  ];
}

/** Adds a leading `./`. Without it, the server takes a first name that equals the folder's own name to mean that folder. */
function schemaRoot(schemas: string): string {
  const root = schemas.replace(/\/$/, "");
  return /^(?:[a-z]+:|\.{0,2}\/)/.test(root) ? root : `./${root}`;
}

function jsonText(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
