import { spawnSync } from "node:child_process";
import { basename } from "node:path";
import type { DerivedFile } from "./derived-file.ts";

/** The file as Biome writes it, with its imports sorted; what Biome does not know stays as it is. */
export function formatted(root: string, file: DerivedFile): DerivedFile {
  if (!/\.(?:ts|json)$/.test(file.path)) return file;
  // Biome passes over JSON outside of the root folder; the text is the same wherever it stands.
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
