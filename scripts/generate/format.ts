import { spawnSync } from "node:child_process";
import { basename } from "node:path";
import type { DerivedFile } from "./derived-file.ts";

/** Formats a file with Biome, and sorts its imports. Files that Biome does not know stay unchanged. */
export function formatted(root: string, file: DerivedFile): DerivedFile {
  if (!/\.(?:ts|json)$/.test(file.path)) return file;
  // Biome ignores JSON outside the root folder; the text does not depend on the folder.
  const path = file.path.endsWith(".json") ? basename(file.path) : file.path;
  const biome = ["node_modules/@biomejs/biome/bin/biome", "check", "--write", `--stdin-file-path=${path}`];
  const { status, stdout, stderr } = spawnSync(process.execPath, biome, {
    cwd: root,
    input: file.text,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`Biome cannot format ${file.path}: ${stderr}`);
  return { path: file.path, text: stdout };
}
