import { type Kind, rolesOf } from "../../src/core/kind.ts";
import { fieldRows, presenceOf } from "../../src/manifests/shape/fields.ts";
import type { DerivedFile } from "./derived-file.ts";

export const mark = "<!-- Derived by scripts/generate.ts: do not edit. -->";

/** `docs/kinds/`: a page for each kind, and their list. `exampleOf` returns the text of a kind's example, if it has one. */
export function kindDocs(
  kinds: readonly Kind[],
  exampleOf: (kind: string) => string | undefined,
): readonly DerivedFile[] {
  return [
    { path: "docs/kinds/README.md", text: list(kinds) },
    ...kinds.map((kind) => ({ path: `docs/kinds/${kind.kind}.md`, text: page(kind, exampleOf(kind.kind)) })),
  ];
}

function list(kinds: readonly Kind[]): string {
  const rows = kinds.map((kind) => [
    `[${kind.kind}](${kind.kind}.md)`,
    services(kind),
    kind.summary,
    kind.budget.reads,
    kind.compile === undefined ? "none: it is only checked" : kind.budget.writes,
  ]);
  return paragraphs([
    mark,
    "# Kinds",
    "What manifests can declare, and the requests that each kind costs.",
    table(["Kind", "Service", "What it is", "Reads", "Writes"], rows),
  ]);
}

function page(kind: Kind, example: string | undefined): string {
  const rows = fieldRows(kind.spec).map((row) => [`\`${row.name}\``, row.type, presenceOf(row), row.description]);
  return paragraphs([
    mark,
    `# ${kind.kind}`,
    kind.summary,
    [
      `- Service: ${services(kind)}`,
      `- Reads: ${kind.budget.reads}`,
      kind.compile === undefined
        ? "- Writes: none. It is only checked: a difference needs a person."
        : `- Writes: ${kind.budget.writes}`,
      ...(kind.permanent === true
        ? ["- It always exists: what leaves the manifests is no longer managed, and it cannot be declared absent."]
        : []),
    ].join("\n"),
    "## Fields",
    "What a manifest leaves out is not managed, unless the field has a default.",
    table(["Field", "Type", "", "What it says"], rows),
    ...(kind.notes === undefined ? [] : ["## Notes", kind.notes]),
    ...(example === undefined ? [] : ["## Example", `\`\`\`yaml\n${example.trimEnd()}\n\`\`\``]),
  ]);
}

function services(kind: Kind): string {
  return rolesOf(kind)
    .map((role) => `\`${role}\``)
    .join(" or ");
}

export function paragraphs(parts: readonly string[]): string {
  return `${parts.map((part) => part.trim()).join("\n\n")}\n`;
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}
