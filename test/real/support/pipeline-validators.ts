/** Installs published validators of pipelines, pinned, into the cache directory. */
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { cached, fillOnce, type Run, run } from "./gerrit-install.ts";

const packages = {
  "check-jsonschema": "check-jsonschema==0.39.0",
  "gitlab-ci-local": "gitlab-ci-local@4.75.1",
  "npm-groovy-lint": "npm-groovy-lint@18.0.0",
} as const;

export type Validator = keyof typeof packages;

/** Whether a test must be skipped for lack of a validator. In CI, a validator that cannot be installed is a failure. */
export async function lacks(name: Validator): Promise<boolean> {
  if (process.env.CI !== undefined) return false;
  if (name === "npm-groovy-lint" && (await run("java", ["-version"])).code !== 0) return true;
  return installed(name).then(
    () => false,
    () => true,
  );
}

/** Runs a validator in a folder, without a network. Throws if it cannot be installed. */
export async function runValidator(name: Validator, args: readonly string[], cwd: string): Promise<Run> {
  const directory = await installed(name);
  const nowhere = "http://127.0.0.1:9";
  const env = { http_proxy: nowhere, https_proxy: nowhere, HTTP_PROXY: nowhere, HTTPS_PROXY: nowhere, NO_COLOR: "1" };
  if (name === "check-jsonschema") {
    // The program's own script names the folder in which it was installed before that folder was renamed.
    return run(join(directory, "bin/python"), ["-m", "check_jsonschema", ...args], cwd, env);
  }
  return run(process.execPath, [join(directory, "node_modules", ...programs[name]), ...args], cwd, {
    ...env,
    no_proxy: "127.0.0.1,localhost",
  });
}

const programs = {
  "gitlab-ci-local": ["gitlab-ci-local", "dist/index.js"],
  "npm-groovy-lint": ["npm-groovy-lint", "lib/index.js"],
} as const;

/** Runs a script with the Groovy that the linter brings. */
export async function runGroovy(script: string, args: readonly string[]): Promise<Run> {
  const libraries = join(await installed("npm-groovy-lint"), "node_modules/npm-groovy-lint/lib/java/groovy/lib/*");
  return run("java", ["-XX:TieredStopAtLevel=1", "-cp", libraries, "groovy.ui.GroovyMain", script, ...args]);
}

/** Returns the folder of a validator, once it is installed. */
async function installed(name: Validator): Promise<string> {
  const directory = cached(`validator-${createHash("sha256").update(packages[name]).digest("hex").slice(0, 12)}`);
  const failure = await fillOnce(directory, (target) => install(name, target));
  if (failure !== undefined) throw new Error(`${name} could not be installed: ${failure.trim()}`);
  return directory;
}

async function install(name: Validator, target: string): Promise<Run> {
  if (name !== "check-jsonschema") {
    const options = ["--no-save", "--no-audit", "--no-fund", "--ignore-scripts"];
    writeFileSync(join(target, "package.json"), "{}\n");
    return run("npm", ["install", "--prefix", target, ...options, packages[name]], target);
  }
  const made = await run("python3", ["-m", "venv", target]);
  if (made.code !== 0) return made;
  return run(join(target, "bin/python"), ["-m", "pip", "install", "-q", "--no-input", packages[name]]);
}
