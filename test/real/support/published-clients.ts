/**
 * Installs published clients of the services, unmodified and pinned, into the cache directory: those in Python into a
 * virtual environment, those of npm into a folder, so that the project's own dependencies stay few.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { cached, fillOnce, type Run, run } from "./gerrit-install.ts";

const scripts = resolve(import.meta.dirname, "../clients");
const npmClients = ["jenkins@1.1.0"];

/** What runs the scripts of one language, or why they cannot run here. */
export type FoundClients =
  | { readonly available: true; readonly program: string; readonly env: NodeJS.ProcessEnv }
  | { readonly available: false; readonly why: string };

/** Runs a script with the URL of a service as its argument; `home` is its user's directory. */
export function runScript(
  { program, env }: Extract<FoundClients, { readonly available: true }>,
  script: string,
  url: string,
  home: string,
): Promise<Run> {
  return run(program, [join(scripts, script), url], home, { ...env, HOME: home, no_proxy: "127.0.0.1" });
}

/** Finds Python 3 with the clients of `requirements.txt` or another such file. Never throws: `why` says what is missing. */
export async function findPythonClients(requirements = join(scripts, "requirements.txt")): Promise<FoundClients> {
  const asked = await run("python3", ["-c", "import sys, ensurepip; print(sys.version)"]);
  if (asked.code !== 0) return { available: false, why: "Python 3 with venv is needed" };
  const directory = cached(`python-${digestOf(asked.stdout, readFileSync(requirements, "utf8"))}`);
  const failure = await fillOnce(directory, async (target) => {
    const made = await run("python3", ["-m", "venv", target]);
    if (made.code !== 0) return made;
    return run(join(target, "bin/python"), ["-m", "pip", "install", "-q", "--no-input", "-r", requirements]);
  });
  if (failure !== undefined) return { available: false, why: `pip could not install the clients: ${failure.trim()}` };
  return { available: true, program: join(directory, "bin/python"), env: { PYTHONDONTWRITEBYTECODE: "1" } };
}

/** Finds the Node that runs the tests, with the clients of npm. Never throws: `why` says what is missing. */
export async function findNodeClients(): Promise<FoundClients> {
  const directory = cached(`npm-${digestOf(...npmClients)}`);
  const options = ["--no-save", "--no-audit", "--no-fund", "--ignore-scripts"];
  const failure = await fillOnce(directory, (target) =>
    run("npm", ["install", "--prefix", target, ...options, ...npmClients], target),
  );
  if (failure !== undefined) return { available: false, why: `npm could not install the clients: ${failure.trim()}` };
  return { available: true, program: process.execPath, env: { NODE_PATH: join(directory, "node_modules") } };
}

function digestOf(...texts: readonly string[]): string {
  return createHash("sha256").update(texts.join("\n")).digest("hex").slice(0, 12);
}
