import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What a workspace for benchmarks declares. */
export interface WorkspaceSize {
  /** Workflow permissions, one document each. */
  readonly documents: number;
  /** Files that they are spread over. */
  readonly files: number;
  /** The service's address. */
  readonly url: string;
  /** Whether every tenth document is written as people write, with comments, escapes, folded text and the line endings of Windows. */
  readonly byPeople?: boolean | undefined;
}

/** Writes a workspace of workflow permissions into a folder. Sign in with `SETPOINT_HOSTING_TOKEN`, and bind it with `SETPOINT_HOSTING_URL`. */
export function writeWorkspace(folder: string, { documents, files, url, byPeople = false }: WorkspaceSize): void {
  mkdirSync(join(folder, "manifests"), { recursive: true });
  const lines = [
    "version: 1",
    "services:",
    `  hosting: { type: github, url: "${url}", limits: { concurrency: 16 } }`,
    "limits: { resources: 1000000, bytes: 2000000000, work: 2000000000 }",
    "manifests: [manifests/**/*.yaml]",
    "",
  ];
  writeFileSync(join(folder, "setpoint.yaml"), lines.join("\n"));
  const perFile = Math.ceil(documents / files);
  for (let file = 0; file < files; file++) {
    const from = file * perFile;
    const count = Math.min(perFile, documents - from);
    if (count <= 0) break;
    const text = Array.from({ length: count }, (_, index) => {
      const number = from + index;
      return byPeople && number % 10 === 0 ? documentByPeople(number) : document(number);
    }).join("---\n");
    writeFileSync(join(folder, "manifests", `${String(file).padStart(6, "0")}.yaml`), text);
  }
}

function document(index: number): string {
  return `kind: ActionsPermission
spec:
  org: acme
  repo: repository-${String(index).padStart(6, "0")}
  enabled: true
  allowedActions: selected
`;
}

/** The same document with what people also write. */
function documentByPeople(index: number): string {
  const lines = [
    "# The website's team asked for this.",
    "kind: ActionsPermission",
    "metadata:",
    "  labels:",
    '    team: "caf\\u00e9"',
    "spec:",
    '  org: "ac\\x6de" # as on the invoices',
    "  repo: >-",
    `    repository-${String(index).padStart(6, "0")}`,
    "  enabled: true",
    "  allowedActions: selected",
    "",
  ];
  return lines.join("\r\n");
}
