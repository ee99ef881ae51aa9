import { afterSpaces } from "./plain-scalars.ts";
import type { SourceText } from "./source-text.ts";
import type { Scalar } from "./tree.ts";

const lineBreak = 10;

/**
 * Reads the text below a `|` or `|-` at a place, whose lines are indented further than `column`. It ends where the next line
 * begins. Undefined if the parser should read it: another header, lines of only spaces, no final line break, or an error.
 */
export function readBlock(source: SourceText, start: number, column: number): Scalar | undefined {
  const { text } = source;
  const isStripped = text.startsWith("|-\n", start);
  if (!isStripped && text.charCodeAt(start + 1) !== lineBreak) return undefined;
  const lines: string[] = [];
  let [indent, end, kept] = [0, text.indexOf("\n", start) + 1, 0];
  for (let at = end; at < text.length; ) {
    const stop = text.indexOf("\n", at);
    const first = afterSpaces(text, at);
    if (stop === -1 || (first === stop && first > at)) return undefined;
    if (first === stop) lines.push("");
    else {
      indent ||= first - at > column ? first - at : Number.POSITIVE_INFINITY;
      if (first - at < indent) break;
      kept = lines.push(text.slice(at + indent, stop));
      end = stop + 1;
    }
    at = stop + 1;
  }
  if (kept === 0) return undefined;
  const value = `${lines.slice(0, kept).join("\n")}${isStripped ? "" : "\n"}`;
  return { is: "scalar", source, start, end, value, written: value };
}
