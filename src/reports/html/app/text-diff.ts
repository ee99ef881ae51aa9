import { sharedEnds } from "../../../core/text/words.ts";

export type DiffPart =
  | { readonly is: "equal"; readonly lines: readonly string[] }
  | { readonly is: "changed"; readonly removed: readonly string[]; readonly added: readonly string[] }
  | { readonly is: "left out"; readonly words: string };

/** Groups the signed lines of a `PageField` into parts. */
export function partsOf(lines: readonly string[]): readonly DiffPart[] {
  const parts: DiffPart[] = [];
  let at = 0;
  const run = (sign: string) => {
    const from = at;
    while (lines[at]?.startsWith(sign)) at++;
    return lines.slice(from, at).map((line) => line.slice(1));
  };
  while (at < lines.length) {
    const [equal, removed, added] = [run(" "), run("-"), run("+")];
    if (equal.length > 0) parts.push({ is: "equal", lines: equal });
    if (removed.length + added.length > 0) parts.push({ is: "changed", removed, added });
    const next = lines[at];
    if (next === undefined || /^[-+ ]/.test(next)) continue;
    parts.push({ is: "left out", words: next.slice(1) });
    at++;
  }
  return parts;
}

/** Splits a line into its equal start, the part that differs from its partner, and its equal end. */
export function cutAtDifference(text: string, partner = ""): readonly [string, string, string] {
  const [start, end] = sharedEnds(text, partner);
  // Lines with little in common are not split.
  if ((start + end) * 3 < Math.max(text.length, partner.length)) return [text, "", ""];
  return [text.slice(0, start), text.slice(start, text.length - end), text.slice(text.length - end)];
}
