import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import ts from "typescript";

/**
 * Copies what the package publishes of a build: programs without comments, and of the declarations only those that the
 * entries lead to, with their comments, which editors show.
 */
export function publish(from: string, to: string, entries: readonly string[]): void {
  rmSync(to, { recursive: true, force: true });
  const isCurrent = (path: string) => existsSync(join("src", path.replace(/\.js$/, ".ts")));
  for (const path of globSync("**/*.js", { cwd: from }).filter(isCurrent))
    write(join(to, path), bare(join(from, path)));
  for (const path of declarationsOf(from, entries)) {
    mkdirSync(dirname(join(to, path)), { recursive: true });
    cpSync(join(from, path), join(to, path));
  }
}

/** A program without its comments. */
function bare(path: string): string {
  const compilerOptions = {
    module: ts.ModuleKind.ESNext,
    target: ts.ScriptTarget.ESNext,
    removeComments: true,
    verbatimModuleSyntax: true,
  };
  return ts.transpileModule(readFileSync(path, "utf8"), { fileName: path, compilerOptions }).outputText;
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
