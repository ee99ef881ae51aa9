import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startSandbox } from "../../src/sandbox/sandbox.ts";
import { ended, temporaryFolder } from "../support/commands.ts";
import { warmScript } from "../support/warm/warm.ts";

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/recipes/first-hour.md"), "utf8");

test("every command of docs/recipes/first-hour.md works when run in order", async () => {
  await using folder = await temporaryFolder();
  const sandbox = await startSandbox();
  onTestFinished(() => sandbox.close());
  const commands = [...page.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = ""]) => block).join("");
  const here = commands
    .replaceAll("https://review.example.com", `${sandbox.url}/review`)
    .replaceAll("https://api.github.com", `${sandbox.url}/hosting`)
    .replaceAll("USERNAME=setpoint", "USERNAME=admin");
  const setpoint = `setpoint() ( ${await warmScript()}; )`;
  const script = `${setpoint}\npass() { echo secret; }\n${here}`;
  const person = { NAME: "Ada", EMAIL: "ada@example.com" };
  const env = {
    PATH: process.env.PATH,
    XDG_STATE_HOME: join(folder.path, "state"),
    NODE_COMPILE_CACHE: join(root, ".cache/compiled"),
    ...Object.fromEntries(
      Object.entries(person).flatMap(([name, value]) => [
        [`GIT_AUTHOR_${name}`, value],
        [`GIT_COMMITTER_${name}`, value],
      ]),
    ),
  };
  const shell = spawn("sh", ["-ec", script], { cwd: folder.path, env, stdio: ["ignore", "pipe", "pipe"] });
  const { code, out, err } = await ended(shell);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  const results = out.split("\n").filter((line) => /wrong,|with \d+ reads|as desired|no errors|applied,/.test(line));
  expect(results).toMatchInlineSnapshot(`
    [
      "2 services, 8 findings: 0 wrong, 0 unknown.",
      "8 resources in 1 file with 2 reads.",
      "4 resources in 1 file with 5 reads.",
      "Everything is as desired: 12 resources, 5 reads.",
      "13 resources in 3 files, no errors.",
      "1 applied, 0 failed, 0 skipped.",
      "Everything is as desired: 13 resources, 5 reads.",
    ]
  `);
});
