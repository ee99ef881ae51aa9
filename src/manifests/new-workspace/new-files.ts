import { Document } from "yaml";
import { editorFiles } from "../editor-settings.ts";
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
  readonly manifests?: readonly string[];
}): readonly NewFile[] {
  const { services, schemas, manifests = manifestGlobs } = input;
  const settings = editorFiles({ files: manifests, workspaceFile, schemas });
  return [
    { path: workspaceFile, content: workspaceText(services, schemas), present: "keep" },
    // Journals and saved plans contain what was observed on a service, so they do not belong in the repository.
    { path: ".gitignore", content: ".setpoint/\nplan.json\n", present: "lines" },
    ...settings.map((file) => ({ ...file, present: "settings" as const })),
  ];
}

/** The default name of a workspace file, for users who name only its folder. */
export const workspaceFile = "setpoint.yaml";

function workspaceText(services: readonly NewService[], schemas: string): string {
  const document = new Document({
    version: 1,
    manifests: manifestGlobs,
    services: Object.fromEntries(services.map(({ name, type, url }) => [name, { type, url }])),
  });
  const text = document.toString({ lineWidth: 0 });
  return `# yaml-language-server: $schema=${schemas}/workspace.schema.json\n${text}`;
}
