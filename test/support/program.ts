import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");

/** The files that alone decide the contents of a bundle. */
const inputs = ["src/**/*.ts", "scripts/build/*.ts", "package.json", "package-lock.json"];

/** Milliseconds. No run that is still under way uses a bundle that is a day old. */
const day = 24 * 60 * 60 * 1000;

/**
 * The command as the package has it: one bundle of these sources, which starts in a fraction of the time. It is found by a
 * digest of everything that it is made from, so that no test can run an older bundle.
 */
export const program = join(bundled(), "start.js");

function bundled(): string {
  const folder = join(root, ".cache", `bundle-${digestOfInputs()}`);
  if (existsSync(folder)) return folder;
  const made = `${folder}.${process.pid}.${performance.now()}`;
  const built = spawnSync(process.execPath, [join(root, "scripts/test-bundle.ts"), made], {
    cwd: root,
    encoding: "utf8",
  });
  for (const old of globSync(join(root, ".cache/bundle-*"))) if (age(old) > day) rmSync(old, { recursive: true });
  if (built.status !== 0) throw new Error(`The command cannot be bundled:\n${built.stdout}${built.stderr}`);
  try {
    renameSync(made, folder);
  } catch (error) {
    // Another worker has built the same bundle first.
    if (!existsSync(folder)) throw error;
    rmSync(made, { recursive: true });
  }
  return folder;
}

function age(path: string): number {
  return Date.now() - statSync(path).mtimeMs;
}

function digestOfInputs(): string {
  const hash = createHash("sha256");
  for (const path of inputs.flatMap((glob) => globSync(glob, { cwd: root }).toSorted())) {
    const text = readFileSync(join(root, path));
    hash.update(`${path}\0${text.length}\0`).update(text);
  }
  return hash.digest("hex").slice(0, 24);
}
