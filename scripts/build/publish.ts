import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/** Copies of all declarations those that the entries lead to, with their comments, which editors show. */
export function publishDeclarations(from: string, to: string, entries: readonly string[]): void {
  const reached = declarationsOf(from, entries);
  // What else is in the folder is not of this build, and may be in use.
  for (const path of globSync("**/*.d.ts", { cwd: to })) if (!reached.has(path)) rmSync(join(to, path));
  for (const path of reached) write(join(to, path), readFileSync(join(from, path), "utf8"));
}

/** The declarations that the entries lead to, themselves included. */
function declarationsOf(folder: string, entries: readonly string[]): ReadonlySet<string> {
  const reached = new Set(entries);
  for (const path of reached) {
    const text = readFileSync(join(folder, path), "utf8");
    for (const [, target = ""] of text.matchAll(/(?:from|import\()\s*"(\.[^"]+)"/g))
      reached.add(normalize(join(dirname(path), target.replace(/\.(?:ts|js)$/, ".d.ts"))));
  }
  return reached;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
