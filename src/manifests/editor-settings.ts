export interface EditorFile {
  /** From the folder of the workspace file, with / between names. */
  readonly path: string;
  readonly content: string;
}

/**
 * What editors with the YAML language server need to know of a workspace: which schema belongs to which file. Settings hold
 * for every document of a file; a modeline reaches only the first one.
 */
export function editorFiles(input: {
  /** Patterns of the manifests. */
  readonly files: readonly string[];
  readonly workspaceFile: string;
  /** Where the schemas are: a folder, from that of the workspace file, or a URL. */
  readonly schemas: string;
}): readonly EditorFile[] {
  const schema = (name: string) => `${schemaRoot(input.schemas)}/${name}.schema.json`;
  const settings = {
    "yaml.schemas": {
      [schema("manifest")]: input.files,
      [schema("workspace")]: [input.workspaceFile],
    },
    // The catalog would be downloaded at every start, and its schemas are those of other programs.
    "yaml.schemaStore.enable": false,
    // A completion inserts what is needed, not every field that has a default.
    "yaml.disableDefaultProperties": true,
  };
  return [
    { path: ".vscode/settings.json", content: text(settings) },
    { path: ".vscode/extensions.json", content: text({ recommendations: ["redhat.vscode-yaml"] }) },
  ];
}

/** The server takes a path that begins with the folder's own name for one within it, unless it begins with a dot. */
function schemaRoot(schemas: string): string {
  const root = schemas.replace(/\/$/, "");
  return /^(?:[a-z]+:|\.{0,2}\/)/.test(root) ? root : `./${root}`;
}

function text(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
