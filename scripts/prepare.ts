/**
 * npm runs this after `npm ci`, where the page is enough to run the sources, and whenever it makes a package of a checkout: to
 * pack it, to publish it, or to install it from git.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

const { npm_command: command, npm_execpath: npm = "" } = process.env;

// For a global installation from git, as pre-commit does it, npm leaves out the packages that the build needs.
if (!existsSync("node_modules/vite")) run(npm, "ci", "--no-global", "--include=dev", "--ignore-scripts");
if (command !== "ci") run("scripts/build.ts");
run("scripts/page.ts");

function run(...words: readonly string[]): void {
  const { status } = spawnSync(process.execPath, words, { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
