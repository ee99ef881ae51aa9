import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { startSandbox } from "../../src/sandbox/sandbox.ts";
import { ended, hasTerminals, start, temporaryFolder } from "../support/commands.ts";
import { program } from "../support/program.ts";

const root = join(import.meta.dirname, "../..");
const readme = readFileSync(join(root, "README.md"), "utf8");
const manifest = /^## Your first manifest$(.*?)^## /ms.exec(readme)?.[1] ?? "";
const [workspaceFile = "", firstManifest = ""] = blocks("yaml", manifest);
const [commands = ""] = blocks("sh", manifest);

function blocks(language: string, page: string): readonly string[] {
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms"))].map(([, block = ""]) => block);
}

test.skipIf(!hasTerminals)(
  "the first manifest of the README can be planned and applied (needs util-linux's script)",
  async () => {
    await using folder = await temporaryFolder();
    const sandbox = await startSandbox();
    onTestFinished(() => sandbox.close());
    const here = (block: string) =>
      block
        .replaceAll("https://review.example.com", `${sandbox.url}/review`)
        .replace("USERNAME=setpoint", "USERNAME=admin")
        .replace("PASSWORD=…", "PASSWORD=secret");
    await folder.write("setpoint.yaml", here(workspaceFile));
    await folder.write("manifests/locks.yaml", firstManifest);
    const setpoint = `setpoint() { "${process.execPath}" "${program}" "$@"; }`;
    await folder.write("steps.sh", `set -e\n${setpoint}\n${here(commands)}`);
    const terminal = spawn("script", ["-qec", "sh steps.sh", "/dev/null"], {
      cwd: folder.path,
      env: { PATH: process.env.PATH, NO_COLOR: "1", XDG_STATE_HOME: join(folder.path, "state") },
      stdio: ["pipe", "pipe", "ignore"],
    });
    terminal.stdin.write("yes\n");
    const [out] = await Promise.all([text(terminal.stdout), once(terminal, "close")]);
    expect(out).toContain("1 resource in 1 file, no errors.");
    expect(out).toContain("1 applied, 0 failed, 0 skipped.");
    expect(terminal.exitCode).toBe(0);
  },
);

test("the command of docs/sandbox.md serves the sandbox, here on a free port", async () => {
  const [command = ""] = blocks("sh", readFileSync(join(root, "docs/sandbox.md"), "utf8"));
  expect(command).toBe("setpoint sandbox --port 4780\n");
  const running = start(command.trim().replace("4780", "0").split(" ").slice(1));
  await once(running.stdout, "data");
  running.kill("SIGINT");
  const { code, err } = await ended(running);
  expect({ code, err }).toEqual({ code: 0, err: "" });
});
