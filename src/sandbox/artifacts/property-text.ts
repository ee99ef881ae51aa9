import { Refusal } from "../refusal.ts";

/**
 * Reads `name=value1,value2|other=value`. `;` and `|` separate groups and `,` values; a backslash makes the next
 * character stand for itself. Values are a set. Throws `Refusal` 400.
 *
 * @see docs/facts.md, artifacts
 */
export function parseProperties(text: string): Record<string, string[]> {
  const groups = split(text, ";|").map((group): [string, string[]] => {
    const [name = "", ...values] = split(group, "=");
    if (!/^[^)(}{\][*+^$\\/~`!@#%&<>;=,±§ ]+$/.test(name)) throw new Refusal(400, `Invalid property name: ${name}`);
    if (values.length === 0) throw new Refusal(400, `Property ${name} has no value`);
    return [name, [...new Set(split(values.join("="), ",").map((value) => value.replace(/\\(.)/gs, "$1")))]] as const;
  });
  return Object.fromEntries(groups);
}

/** Splits at separators that are not escaped by a backslash. */
function split(text: string, separators: string): string[] {
  const parts = [""];
  for (const [character] of text.matchAll(/\\.|./gs)) {
    if (separators.includes(character)) parts.push("");
    else parts.push(`${parts.pop() ?? ""}${character}`);
  }
  return parts;
}
