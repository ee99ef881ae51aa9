import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { analyse } from "scslre";
import ts from "typescript";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../src");

/** Files, or the start of an expression in one, that are only applied to short texts, and what limits the text. */
const short: Readonly<Record<string, string>> = {
  "core/text/glob.ts: /\\\\.|": "NamePattern and Glob have a longest length",
  "reconcilers/review/shared/access.ts": "an opening bracket is taken alone if nothing closes it before the next one",
  "reconcilers/review/shared/automaton.ts": "longestExpression",
  "clients/ci/service.ts": "longestPage",
};

test("no regular expression in the sources takes more than linear time, whatever the text", () => {
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  const slow: string[] = [];
  let literals = 0;
  for (const file of files) {
    // The sandbox only reads input from its own machine.
    if (file.startsWith("sandbox/")) continue;
    const visit = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node)) {
        literals++;
        const [, source = "", flags = ""] = /^\/(.*)\/(\w*)$/s.exec(node.text) ?? [];
        const found = `${file}: ${node.text}`;
        const isShort = Object.keys(short).some((one) => found.startsWith(one));
        if (!isShort && analyse({ source, flags }).reports.length > 0) slow.push(found);
      }
      ts.forEachChild(node, visit);
    };
    visit(ts.createSourceFile(file, readFileSync(join(root, file), "utf8"), ts.ScriptTarget.Latest));
  }
  expect(slow).toEqual([]);
  expect(literals).toBeGreaterThan(200);
});
