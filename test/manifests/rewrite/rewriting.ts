import { expect } from "vitest";
import { parse } from "yaml";
import type { JsonObject } from "../../../src/core/text/json.ts";
import { openManifest, rewriteDocument } from "../../../src/manifests/rewrite/document.ts";
import { withEdits } from "../../../src/manifests/rewrite/page.ts";
import { sourceText } from "../../../src/manifests/yaml/source-text.ts";
import { line } from "../support/workspace.ts";

/** Rewrites the first document of a text so that its specification has other values; omitted fields are removed. */
export function rewrite(text: string, live: JsonObject, more: JsonObject = {}) {
  const source = sourceText("a.yaml", text);
  const [head = ""] = text.split(/^---$/m);
  const stated: JsonObject = { ...parse(head.replaceAll("\r", "")).spec, ...more };
  const column = text.indexOf("kind: ") + "kind: ".length + 1;
  const at = text.lastIndexOf("\n", column - 1);
  const place = { file: "a.yaml", line: text.slice(0, column).split("\n").length, column: column - at - 1 };
  const fields = Object.keys({ ...stated, ...live });
  const { edits, refusals } = rewriteDocument(openManifest(source), { place, stated, live, fields });
  return { text: withEdits(text, edits), refusals: refusals.map(line) };
}

/** The rewritten specification below a kind, one line each. */
export function spec(lines: string, live: JsonObject, more?: JsonObject): string {
  const before = `kind: K\nspec:\n${lines.replace(/^/gm, "  ").trimEnd()}\n`;
  const { text, refusals } = rewrite(before, live, more);
  expect(refusals).toEqual([]);
  return text.replace("kind: K\nspec:\n", "").replace(/^ {2}/gm, "").trimEnd();
}
