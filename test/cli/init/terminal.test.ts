import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { allServices } from "../../../src/clients/find-service.ts";
import { startSandbox } from "../../../src/sandbox/sandbox.ts";
import { environmentFor } from "../../../src/sandbox/server/environment.ts";
import { hasTerminals } from "../../support/commands.ts";
import { program } from "../../support/program.ts";
import { emptyFolder } from "./started.ts";

describe.skipIf(!hasTerminals)("on a terminal (needs util-linux's script)", () => {
  const down = "\u001b[B";
  const products = allServices.flatMap(({ types }) => types);

  test("it asks for products, names and addresses, and asks again after an invalid answer", async () => {
    const folder = await emptyFolder();
    const { code, out } = await answering(folder.path, [
      ["Which products", ` ${down.repeat(products.indexOf("github"))} \r`],
      ["Name of the klocwork service", "\r"],
      ["URL of analysis", "https://analysis.example.com/\r"],
      ["Name of the github service", "\u0015analysis\r"],
      ["Another service has the name", "\u0015code\r"],
      ["URL of code", "\r"],
    ]);
    expect(code).toBe(0);
    expect(out).toContain("created   setpoint.yaml");
    expect(await readFile(join(folder.path, "setpoint.yaml"), "utf8")).toContain(`services:
  analysis:
    type: klocwork
    url: https://analysis.example.com
  code:
    type: github
    url: https://api.github.com
`);
  });

  test.each([
    ["Ctrl-C", "\u0003"],
    ["Ctrl-D", "\u0004"],
  ])("%s at any question writes nothing, and is not a success", async (_name, keys) => {
    const folder = await emptyFolder();
    await mkdir(join(folder.path, "sub"));
    const { code, out } = await answering(folder.path, [
      ["Which products", " \r"],
      ["Name of the klocwork service", `\u0015${keys}`],
    ]);
    expect(code).toBe(4);
    expect(out).toContain("Nothing was written.");
    expect(await readdir(folder.path)).toEqual(["sub"]);
  });

  test('it offers to import the objects of a service, and "no" declines', async () => {
    const folder = await emptyFolder();
    const sandbox = await startSandbox();
    onTestFinished(() => sandbox.close());
    const all = ["review=gerrit", "hosting=github"].flatMap((words) => [
      "--service",
      `${words}:${sandbox.url}/${words.split("=", 1).join()}`,
    ]);
    const { code } = await answering(
      folder.path,
      [
        ["what review has now", "y"],
        ["what hosting has now", "n"],
      ],
      { args: all, env: environmentFor(sandbox.url) },
    );
    expect(code).toBe(0);
    expect(await readdir(join(folder.path, "manifests"))).toEqual(["review"]);
  });
});

/**
 * Runs init on a pseudo-terminal of 80 columns and types each answer once its question has appeared. Throws, with what was
 * printed, if init asks something else or ends before it has asked everything.
 */
async function answering(
  folder: string,
  answers: readonly (readonly [string, string])[],
  { args = [], env = {} }: { readonly args?: readonly string[]; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<{ readonly code: number | null; readonly out: string }> {
  const command = ["stty cols 80 rows 40;", process.execPath, program, "init", ...args].join(" ");
  const terminal = spawn("script", ["-qec", command, "/dev/null"], {
    cwd: folder,
    env: { PATH: process.env.PATH, TERM: "xterm", NO_COLOR: "1", ...env },
    stdio: ["pipe", "pipe", "ignore"],
  });
  let out = "";
  let seen = 0;
  const left = [...answers];
  terminal.stdout.setEncoding("utf8").on("data", (part: string) => {
    out += part;
    const [question, keys] = left[0] ?? [];
    if (question !== undefined && keys !== undefined && out.slice(seen).includes(question)) {
      seen = out.length;
      left.shift();
      terminal.stdin.write(keys);
    } else if (asksOther(out.slice(seen), answers.slice(0, answers.length - left.length + 1))) terminal.kill();
  });
  await once(terminal, "close");
  if (left.length > 0 || terminal.signalCode !== null) {
    const wrong = left[0] === undefined ? "init asked something more" : `init did not ask "${left[0][0]}"`;
    throw new Error(`${wrong}. It printed:\n${stripVTControlCharacters(out)}`);
  }
  return { code: terminal.exitCode, out };
}

/** Whether another question appears in full. A question that is being answered appears again and again. */
function asksOther(text: string, answers: readonly (readonly [string, string])[]): boolean {
  const questions = text.matchAll(/\u25c6 {2}(.*)\r\n/g);
  return [...questions].some(([line]) => !answers.some(([question]) => line.includes(question)));
}
