import { everyCode } from "../../src/cli/commands/explain-code.ts";
import type { DerivedFile } from "./derived-file.ts";
import { mark, paragraphs, table } from "./docs.ts";

/** `docs/problems.md`: every code, as `setpoint explain` shows it. */
export function problemDocs(): DerivedFile {
  const codes = everyCode();
  const sections = codes.flatMap(({ code, title, why, example, remedy, exit }) => [
    `## ${code}`,
    `**${title}** ${why}`,
    `For example:\n\n\`\`\`text\n${example}\n\`\`\``,
    `What to do: ${escaped(remedy)}`,
    `Exit code: ${exit}.`,
  ]);
  const text = paragraphs([
    mark,
    "# Problems",
    "Every problem has a code, which never changes. `setpoint explain <code>` shows its entry on a terminal.",
    table(
      ["Code", "What it says"],
      codes.map(({ code, title }) => [`[${code}](#${code.toLowerCase()})`, title]),
    ),
    ...sections,
  ]);
  return { path: "docs/problems.md", text };
}

/** Escapes angle brackets, which would be HTML. */
function escaped(text: string): string {
  return text.replace(/<(\w+)>/g, "\\<$1>");
}
