import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { program } from "../../src/cli/program.ts";
import { setpoint } from "../support/commands.ts";

const commands = [
  "validate",
  "plan",
  "apply",
  "drift",
  "adopt",
  "import",
  "doctor",
  "kinds",
  "explain",
  "graph",
  "fmt",
  "call",
  "sandbox",
];

test("the help of every command fits on a screen and has an example", () => {
  for (const command of commands) {
    const text = helpOf(command);
    const lines = text.trimEnd().split("\n");
    expect(lines.length, command).toBeLessThanOrEqual(50);
    expect(lines.filter((line) => line.length > 100)).toEqual([]);
    expect(text).toContain(`Example:\n  setpoint ${command}`);
  }
});

test("--help prints the help of a command", async () => {
  expect(await setpoint(["plan", "--help"])).toEqual({ code: 0, out: helpOf("plan"), err: "" });
});

/** What a command says of itself, within this process. */
function helpOf(name: string): string {
  const command = program("", async () => {}).commands.find((one) => one.name() === name);
  let text = "";
  command?.configureOutput({
    writeOut: (part) => {
      text += part;
    },
    getOutHelpWidth: () => 100,
    getOutHasColors: () => false,
  });
  command?.outputHelp();
  return text;
}

test("--help names every command and what the exit codes mean", async () => {
  const { code, out } = await setpoint(["--help"]);
  expect(code).toBe(0);
  for (const command of commands) expect(out).toMatch(new RegExp(`^  ${command} `, "m"));
  expect(out).toMatch(/Exit codes: 0 .* 1 .*\n.* 2 .* 3 .* 4 /);
});

test("--version is the package's", async () => {
  const { version }: { readonly version: string } = JSON.parse(readFileSync("package.json", "utf8"));
  expect(await setpoint(["--version"])).toEqual({ code: 0, out: `${version}\n`, err: "" });
});

test.each([
  [["paln"], "error: unknown command 'paln'\n(Did you mean plan?)\n"],
  [["plan", "--jsn"], "error: unknown option '--jsn'\n(Did you mean --json?)\n"],
  [["plan", "--only"], "error: option '--only <address>' argument missing\n"],
  [["validate", "extra"], "error: too many arguments for 'validate'. Expected 0 arguments but got 1: extra.\n"],
  [["sandbox", "--port", "99999"], "argument '99999' is invalid. Expected a number up to 65535.\n"],
])("%j is a mistake, with a hint", async (args, expected) => {
  const { code, out, err } = await setpoint(args);
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).toContain(expected);
  expect(err).toContain("--help shows the options");
});
