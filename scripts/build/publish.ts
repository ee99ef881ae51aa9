import { globSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { rolldown } from "rolldown";
import { dts } from "rolldown-plugin-dts";

/**
 * Writes what the entries, declarations in the folder `from`, lead to: a file for each entry and one for what they share,
 * with the comments, which editors show.
 */
export async function publishDeclarations(
  from: string,
  to: string,
  entries: Readonly<Record<string, string>>,
): Promise<void> {
  const build = await rolldown({
    input: Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, resolve(from, path)])),
    plugins: [dts({ dtsInput: true, tsconfig: false })],
    external: /^[\w@]/,
    // How long it takes is no mistake.
    checks: { pluginTimings: false },
    onLog(_level, { message }) {
      throw new Error(message);
    },
  });
  const { output } = await build.generate({ format: "esm", chunkFileNames: "shared.d.ts" });
  await build.close();
  const files = new Map(output.flatMap((one) => (one.type === "chunk" ? [[one.fileName, textOf(one.code)]] : [])));
  mkdirSync(to, { recursive: true });
  // What else is in the folder is not of this build, and may be in use.
  for (const path of globSync("**/*.d.ts", { cwd: to })) if (!files.has(path)) rmSync(join(to, path));
  for (const [path, text] of files) writeFileSync(join(to, path), text);
}

/** Without the lines that say which file the next declarations were in, and without indentation, which editors do not show. */
function textOf(code: string): string {
  return code.replace(/^(?:\/\/#(?:end)?region.*|\/\/ \S+\.d\.ts)\n/gm, "").replace(/^ +/gm, "");
}
