import { existsSync, readFileSync } from "node:fs";
import { type Kind, rolesOf } from "../../core/kind.ts";
import { ProblemError } from "../../core/problem.ts";
import { didYouMean, quote } from "../../core/text/words.ts";
import { type FieldRow, fieldRows, presenceOf } from "../../manifests/shape/fields.ts";
import { kinds } from "../../reconcilers/registry.ts";
import { wrap } from "../../reports/text/layout.ts";
import { paintPart, type ScreenOptions, type Style, styleOf } from "../../reports/text/style.ts";
import { type ExitCode, exitCodes } from "../exit.ts";
import { installed } from "../installed.ts";
import { type OutputOptions, openOutput, show } from "../terminal/output.ts";
import { allCodes, everyCode, findCode, isCode, renderCode, renderCodes } from "./explain-code.ts";
import { kindFacts } from "./kinds.ts";

/** What an author needs to know about a kind, or about one field and those below it. */
export interface Explained {
  readonly kind: Kind;
  readonly fields: readonly FieldRow[];
  /** The path of the requested field, without `[]`; undefined for the whole kind. */
  readonly field: string | undefined;
  /** The text of the kind's example; undefined if it is not installed, and for a field. */
  readonly example: string | undefined;
}

/**
 * `setpoint explain <Kind>[.field[.field]]`, or a code. Throws `ProblemError` SP1008, SP1004 or SP1018 if the kind, field or
 * code does not exist.
 */
export async function explain(subject: string, options: OutputOptions): Promise<ExitCode> {
  const output = openOutput(options);
  if (subject === allCodes) {
    const problems = everyCode();
    show(output, { problems }, () => renderCodes(problems, output));
  } else if (isCode(subject)) {
    const code = findCode(subject);
    show(output, code, () => renderCode(code, output));
  } else {
    const explained = find(subject);
    show(output, facts(explained), () => renderExplained(explained, output));
  }
  return exitCodes.ok;
}

/** The path of a field without its list marks: `rules.group` for the field `rules[].group`. */
function pathOf(name: string): string {
  return name.replaceAll("[]", "");
}

function find(subject: string): Explained {
  const [name = "", ...path] = subject.split(".");
  const kind = kinds.get(name);
  if (kind === undefined)
    throw new ProblemError({
      code: "SP1008",
      message: `There is no kind ${quote(name)}.${didYouMean(name, kinds.keys())}`,
      hint: "setpoint kinds lists every kind.",
    });
  const rows = fieldRows(kind.spec);
  if (path.length === 0) return { kind, fields: rows, field: undefined, example: exampleOf(name) };
  const wanted = pathOf(path.join("."));
  const found = rows.filter(({ name: row }) => pathOf(row) === wanted);
  if (found.length === 0) throw new ProblemError(unknownField(kind, rows, path.map(pathOf)));
  const below = rows.filter(({ name: row }) => pathOf(row).startsWith(`${wanted}.`));
  return { kind, fields: [...found, ...below], field: wanted, example: undefined };
}

/** The problem that names the first unknown word of the path, and what it could be. */
function unknownField({ kind }: Kind, rows: readonly FieldRow[], path: readonly string[]) {
  const paths = rows.map(({ name }) => pathOf(name).split("."));
  const isBelow = (at: number) => (row: readonly string[]) => path.slice(0, at).every((word, i) => row[i] === word);
  const at = path.findIndex((_word, index) => !paths.some(isBelow(index + 1)));
  const fields = [...new Set(paths.filter(isBelow(at)).flatMap((row) => row[at] ?? []))];
  const parent = [kind, ...path.slice(0, at)].join(".");
  const word = path[at] ?? "";
  return {
    code: "SP1004",
    message: `${parent} has no field ${quote(word)}.${didYouMean(word, fields)}`,
    hint: fields.length === 0 ? `${parent} has no fields.` : `${parent} has ${fields.join(", ")}.`,
  } as const;
}

/** The text of a kind's example, in the package or in a checkout; undefined if it is not installed. */
function exampleOf(kind: string): string | undefined {
  const file = installed(exampleFile(kind));
  return existsSync(file) ? readFileSync(file, "utf8").trimEnd() : undefined;
}

function exampleFile(kind: string): string {
  return `examples/kinds/${kind}.yaml`;
}

function facts({ kind, fields, field, example }: Explained) {
  const described = fields.map(({ type, ...row }) => ({ ...row, type: withoutMarks(type) }));
  if (field !== undefined) return { kind: kind.kind, field, fields: described };
  return {
    ...kindFacts(kind),
    notes: kind.notes ?? null,
    fields: described,
    example: example ?? null,
    docs: pagesOf(kind)[0] ?? null,
  };
}

/** The installed pages about a kind. Pages that the reader does not have are not named. */
function pagesOf({ kind }: Kind): readonly string[] {
  return [`docs/kinds/${kind}.md`, "docs/manifests.md"].filter((page) => existsSync(installed(page)));
}

/** Removes the Markdown marks around values, which are noise on a terminal. */
function withoutMarks(markdown: string): string {
  return markdown.replaceAll("`", "");
}

/** The kind with its fields, budget, notes and example; or one field with those below it. */
export function renderExplained(explained: Explained, options: ScreenOptions): string {
  const style = styleOf(options);
  const { kind, fields, field, example } = explained;
  const pages = pagesOf(kind);
  const rows = fields.map((row) => fieldLines(row, style));
  if (field !== undefined) return [heading(kind, style, `.${field}`), ...rows.flat()].join("\n");
  const fact = (name: string, text: string) => wrap(text, style.width, `${name.padEnd(6)}  `, " ".repeat(8)).join("\n");
  return [
    [heading(kind, style), ...wrap(kind.summary, style.width)].join("\n"),
    [
      fact("Reads", kind.budget.reads),
      kind.compile === undefined
        ? fact("Writes", "none. It is only checked: a difference needs a person.")
        : fact("Writes", kind.budget.writes),
      ...(kind.permanent === true ? [fact("Stays", "It always exists and cannot be declared absent.")] : []),
    ].join("\n"),
    [style.paint("bold", "Fields of spec"), ...rows.flat()].join("\n"),
    ...(kind.notes === undefined ? [] : [[style.paint("bold", "Notes"), notesText(kind.notes, style)].join("\n")]),
    // Not indented, so that it can be copied with its document separators.
    ...(example === undefined ? [] : [`${style.paint("bold", "Example")} (${exampleFile(kind.kind)})\n\n${example}`]),
    ...(pages.length === 0 ? [] : [style.paint("dim", `See also ${pages.join(" and ")}`)]),
  ].join("\n\n");
}

function heading(kind: Kind, style: Style, path = ""): string {
  return `${style.paint("bold", `${kind.kind}${path}`)}${style.paint("dim", `  (${rolesOf(kind).join(" or ")})`)}`;
}

/** The field, its type and default; below that, its description. */
function fieldLines(row: FieldRow, style: Style): readonly string[] {
  const { name, type, description } = row;
  const presence = withoutMarks(presenceOf(row));
  const [first = "", ...more] = wrap(`${name}  ${withoutMarks(type)}; ${presence}`, style.width, "  ", "      ");
  const says = description === "" ? [] : wrap(description, style.width, "      ");
  return [paintPart(style, "bold", first, name), ...more, ...says];
}

/** Paragraphs filled to the width; a list's entries on lines of their own. */
function notesText(notes: string, { width }: Style): string {
  return notes
    .trim()
    .split(/\n\n+/)
    .map((paragraph) =>
      paragraph
        .split(/\n(?=- )/)
        .flatMap((part) => wrap(part, width, "  ", part.startsWith("- ") ? "    " : "  "))
        .join("\n"),
    )
    .join("\n\n");
}
