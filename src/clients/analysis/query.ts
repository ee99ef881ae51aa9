import { z } from "zod";

/** Text that can stand between single quotes: no way to write one inside is documented. */
const Text = z.string().regex(/^[^'\r\n]+$/, "expected text without single quotes and line breaks");

const Severity = z.union([z.int(), z.strictObject({ from: z.int(), to: z.int() })]);

/** What issues are searched for; all terms that are given must hold. Issues of one build at a time. */
const SearchTerms = z.strictObject({
  build: z
    .union([Text, z.strictObject({ contains: Text })])
    .optional()
    .describe("The build's name, or a part of it."),
  file: Text.optional(),
  state: Text.optional().describe("For example `New`."),
  severity: Severity.optional().describe("One severity, or a range with both ends; 1 is the worst."),
});
type SearchTerms = z.infer<typeof SearchTerms>;

/** A query as an argument: text in the service's own language, or the terms it is composed of. */
export const SearchQuery = z.union([z.string(), SearchTerms.transform(searchQuery)]);

/**
 * Writes a query: `build:+'rel 2.4' file:main.c state:New severity:1-3`.
 * @see docs/api/analysis.md, search query
 */
function searchQuery({ build, file, state, severity }: SearchTerms): string {
  const terms = [
    build === undefined
      ? []
      : [typeof build === "string" ? `build:+${quoted(build)}` : `build:${quoted(build.contains)}`],
    file === undefined ? [] : [`file:${word(file)}`],
    state === undefined ? [] : [`state:${word(state)}`],
    severity === undefined ? [] : [`severity:${range(severity)}`],
  ];
  return terms.flat().join(" ");
}

function quoted(text: string): string {
  return `'${text}'`;
}

/** A word stands as it is; what could be read as syntax is quoted. */
function word(text: string): string {
  return /^[\w/][\w./-]*$/.test(text) ? text : quoted(text);
}

function range(severity: z.infer<typeof Severity>): string {
  return typeof severity === "number" ? String(severity) : `${severity.from}-${severity.to}`;
}
