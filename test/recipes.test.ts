import { execFile } from "node:child_process";
import { cpSync, readFileSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { globSync } from "tinyglobby";
import { expect, test } from "vitest";
import { parseWorld, startSandbox } from "../src/sandbox/sandbox.ts";
import { environmentFor } from "../src/sandbox/server/environment.ts";
import { temporaryFolder } from "./support/commands.ts";
import { commitAll, gitIn } from "./support/git.ts";
import { type Step, stepsOf } from "./support/pages.ts";

const root = join(import.meta.dirname, "..");
const main = join(root, "src/cli/main.ts");
const tour = join(root, "examples/tour");

const pages = globSync("docs/recipes/*.md", { cwd: root }).filter((page) => stepsOf(join(root, page)).length > 0);

test.each(pages)("the steps of %s, one after the other", async (page) => {
  await using desk = await openClone();
  for (const step of stepsOf(join(root, page))) {
    const ended = await desk.take(step);
    expect(ended, `${page}:${step.line}\n${ended.said}`).toMatchObject({
      exits: step.is === "script" ? step.exits : 0,
    });
  }
});

/** A clone of the tour's manifests, with a remote `origin` whose `main` is applied by nobody yet, on a sandbox of its own. */
async function openClone() {
  const folder = await temporaryFolder();
  const sandbox = await startSandbox({
    world: parseWorld(readFileSync(join(tour, "world.json"), "utf8"), "world.json"),
  });
  const clone = join(folder.path, "clone");
  cpSync(join(tour, "manifests"), join(clone, "manifests"), { recursive: true });
  const workspace = readFileSync(join(tour, "setpoint.yaml"), "utf8");
  await folder.write("clone/setpoint.yaml", workspace.replace("port: 4780", `port: ${new URL(sandbox.url).port}`));
  await folder.write("clone/.gitignore", ".setpoint/\n");
  commitAll(clone, "The tour");
  gitIn(folder.path, "clone", "--quiet", "--bare", "clone", "origin.git");
  gitIn(clone, "remote", "add", "origin", join(folder.path, "origin.git"));
  gitIn(clone, "fetch", "--quiet", "origin");
  await folder.write("bin/setpoint", `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`);
  await chmod(join(folder.path, "bin/setpoint"), 0o755);
  const author = { GIT_AUTHOR_NAME: "Ada", GIT_AUTHOR_EMAIL: "ada@example.com" };
  const env = {
    ...environmentFor(sandbox.url),
    ...author,
    GIT_COMMITTER_NAME: author.GIT_AUTHOR_NAME,
    GIT_COMMITTER_EMAIL: author.GIT_AUTHOR_EMAIL,
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_SYSTEM: "/dev/null",
    HOME: folder.path,
    NODE_COMPILE_CACHE: join(root, ".cache/compiled"),
    PATH: `${join(folder.path, "bin")}:${process.env.PATH}`,
    SANDBOX: sandbox.url,
  };
  return {
    /** Takes a step as a reader would: writes its file, or runs its script in the clone until something fails. */
    async take(step: Step): Promise<{ readonly exits: number; readonly said: string }> {
      if (step.is === "file") {
        await folder.write(join("clone", step.path), step.text);
        return { exits: 0, said: "" };
      }
      return new Promise((resolve) => {
        const script = ["-euo", "pipefail", "-c", step.text];
        const running = execFile("bash", script, { cwd: clone, env }, (_error, out, err) =>
          resolve({ exits: running.exitCode ?? -1, said: `${step.text}\n${out}${err}` }),
        );
      });
    },
    async [Symbol.asyncDispose]() {
      await sandbox.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}
