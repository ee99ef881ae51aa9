export interface EditorFile {
  /** Relative to the folder of the workspace file, with / between names. */
  readonly path: string;
  readonly content: string;
}

/**
 * Returns the settings that tell editors with the YAML language server which schema belongs to which file. Settings apply
 * to every document of a file; a modeline applies only to the first one.
 */
export function editorFiles(input: {
  /** Patterns of the manifests. */
  readonly files: readonly string[];
  readonly workspaceFile: string;
  /** Where the schemas are: a folder, relative to that of the workspace file, or a URL. */
  readonly schemas: string;
}): readonly EditorFile[] {
  const schema = (name: string) => `${schemaRoot(input.schemas)}/${name}.schema.json`;
  const settings = {
    "yaml.schemas": {
      [schema("manifest")]: input.files,
      [schema("workspace")]: [input.workspaceFile],
    },
    // The catalog would be downloaded at every start, and its schemas belong to other programs.
    "yaml.schemaStore.enable": false,
    // A completion inserts required fields, not every field that has a default.
    "yaml.disableDefaultProperties": true,
  };
  return [
    { path: ".vscode/settings.json", content: text(settings) },
    { path: ".vscode/extensions.json", content: text({ recommendations: ["redhat.vscode-yaml"] }) },
  ];
}

/** Adds a leading `./`. Without it, the server takes a first name that equals the folder's own name to mean that folder. */
function schemaRoot(schemas: string): string {
  const root = schemas.replace(/\/$/, "");
  return /^(?:[a-z]+:|\.{0,2}\/)/.test(root) ? root : `./${root}`;
}

function text(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
