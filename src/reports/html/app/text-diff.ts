/** A part of a text's diff. */
export type DiffPart =
  | { readonly is: "equal"; readonly lines: readonly string[] }
  | { readonly is: "changed"; readonly removed: readonly string[]; readonly added: readonly string[] }
  | { readonly is: "left out"; readonly words: string };

/** Groups the signed lines of a `PageField` into parts. */
export function partsOf(lines: readonly string[]): readonly DiffPart[] {
  const parts: DiffPart[] = [];
  let equal: string[] = [];
  let removed: string[] = [];
  let added: string[] = [];
  const close = () => {
    if (equal.length > 0) parts.push({ is: "equal", lines: equal });
    if (removed.length + added.length > 0) parts.push({ is: "changed", removed, added });
    [equal, removed, added] = [[], [], []];
  };
  for (const line of lines) {
    const [sign, text] = [line.charAt(0), line.slice(1)];
    if (sign === " ") {
      if (removed.length + added.length > 0) close();
      equal.push(text);
    } else if (sign === "-" || sign === "+") {
      if (equal.length > 0 || (sign === "-" && added.length > 0)) close();
      (sign === "-" ? removed : added).push(text);
    } else {
      close();
      parts.push({ is: "left out", words: text });
    }
  }
  close();
  return parts;
}

/** Splits a line into its equal start, the part that differs from its partner, and its equal end. */
export function cutAtDifference(text: string, partner: string | undefined): readonly [string, string, string] {
  if (partner === undefined) return [text, "", ""];
  let start = 0;
  while (start < text.length && text[start] === partner[start]) start++;
  let end = 0;
  const most = Math.min(text.length, partner.length) - start;
  while (end < most && text.at(-1 - end) === partner.at(-1 - end)) end++;
  // Lines with little in common are not split.
  if ((start + end) * 3 < Math.max(text.length, partner.length)) return [text, "", ""];
  return [text.slice(0, start), text.slice(start, text.length - end), text.slice(text.length - end)];
}
