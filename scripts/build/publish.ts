import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import ts from "typescript";

/**
 * Copies what the package publishes of a build: programs without comments, and of the declarations only those that the
 * entries lead to, with their comments, which editors show.
 */
export function publish(from: string, to: string, entries: readonly string[]): void {
  const isCurrent = (path: string) => existsSync(join("src", path.replace(/\.js$/, ".ts")));
  const programs = globSync("**/*.js", { cwd: from }).filter(isCurrent);
  const declarations = [...declarationsOf(from, entries)];
  // What else is in the folder is not of this build, and may be in use.
  const kept = new Set([...programs, ...declarations]);
  for (const path of globSync("**/*.{js,d.ts}", { cwd: to })) if (!kept.has(path)) rmSync(join(to, path));
  for (const path of programs) write(join(to, path), bare(join(from, path)));
  for (const path of declarations) write(join(to, path), readFileSync(join(from, path), "utf8"));
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
