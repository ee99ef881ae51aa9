import type { SourceText } from "./source-text.ts";
import type { Scalar } from "./tree.ts";

const lineBreak = 10;
const space = 32;

/**
 * Reads the text below a `|` or `|-` at a place, whose lines are indented further than `column`. It ends where the next line
 * begins. Undefined if the parser should read it: another header, lines of only spaces, no final line break, or an error.
 */
export function readBlock(source: SourceText, start: number, column: number): Scalar | undefined {
  const { text } = source;
  const isStripped = text.startsWith("|-\n", start);
  if (!isStripped && text.charCodeAt(start + 1) !== lineBreak) return undefined;
  const lines: string[] = [];
  let [indent, end, blank] = [-1, text.indexOf("\n", start) + 1, 0];
  for (let at = end; at < text.length; ) {
    const stop = text.indexOf("\n", at);
    if (stop === -1) return undefined;
    let first = at;
    while (text.charCodeAt(first) === space) first++;
    if (first === stop) {
      if (first > at) return undefined;
      blank++;
    } else {
      if (indent === -1 && first - at > column) indent = first - at;
      if (first - at < indent || indent === -1) break;
      for (; blank > 0; blank--) lines.push("");
      lines.push(text.slice(at + indent, stop));
      end = stop + 1;
    }
    at = stop + 1;
  }
  if (lines.length === 0) return undefined;
  const value = `${lines.join("\n")}${isStripped ? "" : "\n"}`;
  return { is: "scalar", source, start, end, value, written: value };
}
