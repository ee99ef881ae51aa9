import { readFileSync } from "node:fs";
import { Command } from "commander";
import { afterEach, expect, test, vi } from "vitest";
import { helpWidth } from "../../src/cli/help.ts";
import { addManifestOptions, numberUpTo } from "../../src/cli/options/options.ts";
import { program } from "../../src/cli/program.ts";
import { addReport } from "../../src/cli/results/report-files.ts";
import { setpoint } from "../support/commands.ts";

afterEach(() => void vi.restoreAllMocks());

const root = () => program("", async () => {});
const commands = root().commands.map((command) => command.name());
const all = namesBelow(root());

/** All commands by their full names, for example `report merge`. */
function namesBelow(parent: Command): readonly string[] {
  return parent.commands.flatMap((command) => [
    command.name(),
    ...namesBelow(command).map((name) => `${command.name()} ${name}`),
  ]);
}

test.each(all)("the help of %s has at most 72 lines, and two examples", (command) => {
  const text = helpOf(command, 100);
  expect(text.trimEnd().split("\n").length).toBeLessThanOrEqual(72);
  const [, examples = ""] = text.split("\nExamples:\n");
  const lines = examples.trimEnd().split("\n");
  expect(lines.length).toBeGreaterThanOrEqual(2);
  for (const line of lines) expect(line).toMatch(new RegExp(`^  setpoint ${command}\\b`));
});

test.each(["plan", "apply", "drift", "validate"])("%s has the same help when it is loaded alone", (name) => {
  const alone = program("", async () => {}, name);
  const [one, same] = [alone, root()].map((each) => each.commands.find((command) => command.name() === name));
  expect(one?.helpInformation()).toBe(same?.helpInformation());
  expect(alone.commands.length).toBeLessThan(commands.length / 2);
});

/** The command with this full name. */
function commandOf(name: string): Command | undefined {
  return name
    .split(" ")
    .reduce<Command | undefined>((above, word) => above?.commands.find((one) => one.name() === word), root());
}

test("no flag is on unless it is given: nothing is written without a question, and no command of a manifest runs", () => {
  const on = all.flatMap((name) =>
    (commandOf(name)?.options ?? []).flatMap(({ long, negate, defaultValue }) =>
      defaultValue === true && !negate ? [`${name} ${long}`] : [],
    ),
  );
  expect(on).toEqual([]);
});

test("the largest number, a name of one letter and a file after the format are accepted, and nothing beyond", () => {
  expect(numberUpTo(100)("100")).toBe(100);
  expect(() => numberUpTo(100)("101")).toThrow("Expected a number up to 100.");
  const given = (text: string) =>
    addManifestOptions(new Command()).exitOverride().parse(["--var", text], { from: "user" });
  expect(given("a=1=2").opts().var).toEqual({ a: "1=2" });
  expect(addReport("html=x=y", [])).toEqual([{ format: "html", file: "x=y" }]);
  for (const wrong of ["html=", "html=-", "html", "pdf=x"]) expect(() => addReport(wrong, [])).toThrow("format=file");
});

test("the help of every command fits the width of a terminal", () => {
  for (const command of all)
    for (const width of [60, 80, 120])
      expect(
        helpOf(command, width)
          .split("\n")
          // A command is one line, because it is copied.
          .filter((line) => line.length > width && (width === 80 || !line.startsWith("  setpoint "))),
      ).toEqual([]);
  expect([undefined, 0, 40, 60, 95, 300].map(helpWidth)).toEqual([80, 80, 60, 60, 95, 120]);
});

test("every command is in a group, and the commands of the first hour come first", () => {
  const shown = root().createHelp();
  const groups = shown.groupItems([...root().commands], shown.visibleCommands(root()), (command) =>
    command.helpGroup(),
  );
  expect([...groups.keys()]).toEqual(["First hour:", "Every day:", "Repair:", "Many machines:", "Reference:"]);
});

test("the many options of a command are in groups, its own first", () => {
  const headings = (name: string) => helpOf(name, 80).match(/^[A-Z][a-z ]+:$/gm);
  const shared = ["Selection:", "Manifests:", "Safety:", "Output:"];
  expect(headings("plan")).toEqual(["Options:", ...shared, "Many resources:", "Examples:"]);
  expect(headings("apply")).toEqual(["Arguments:", "Options:", ...shared, "Examples:"]);
  expect(headings("validate")).toEqual(["Options:", "Examples:"]);
});

test.each([
  ["ack", ["--until", "--reason"]],
  ["history", ["--history"]],
])("the help of %s says which options it needs", (name, needed) => {
  const entries = helpOf(name, 120).match(/^ {2}--[\s\S]*?(?=\n {2}-|\n\n)/gm) ?? [];
  const required = entries.filter((entry) => /\(required\)$/.test(entry));
  expect(required.map((entry) => entry.trim().split(" ")[0])).toEqual(needed);
});

test("--help prints the help of a command", async () => {
  expect(await setpoint(["plan", "--help"])).toEqual({ code: 0, out: helpOf("plan", 80), err: "" });
});

/** The output of a command's help, printed in this process. */
function helpOf(name: string, width: number): string {
  const command = commandOf(name);
  let text = "";
  command?.configureOutput({
    writeOut: (part) => {
      text += part;
    },
    getOutHelpWidth: () => width,
    getOutHasColors: () => false,
  });
  command?.outputHelp();
  return text;
}

test("--help names every command and the meaning of every exit code", async () => {
  const { code, out } = await setpoint(["--help"]);
  expect(code).toBe(0);
  for (const command of commands) expect(out).toMatch(new RegExp(`^  ${command} `, "m"));
  expect(out).toMatch(/Exit codes: 0 .* 1 .*\n.* 2 .* 4 /);
});

test("--version prints the version of the package", async () => {
  const { version }: { readonly version: string } = JSON.parse(readFileSync("package.json", "utf8"));
  expect(await setpoint(["--version"])).toEqual({ code: 0, out: `${version}\n`, err: "" });
});

test("a subcommand has its own help", async () => {
  expect(await setpoint(["help", "report", "merge"])).toEqual(await setpoint(["report", "merge", "--help"]));
});

test.each([[["help", "paln"]], [["paln", "--help"]]])("%j does not print the help of another command", (args) => {
  let text = "";
  const writeErr = (part: string) => {
    text += part;
  };
  const command = root().exitOverride().configureOutput({ writeErr, writeOut: writeErr });
  expect(() => command.parse(args, { from: "user" })).toThrow(expect.objectContaining({ exitCode: 1 }));
  expect(text).toBe(
    "SP5001  Unknown command 'paln'. Did you mean plan?\n  Hint: setpoint --help shows the commands.\n",
  );
});

test.each([
  [
    60,
    `SP5001  Option '--shard <i/n>' argument '9/8' is
    invalid. Expected the number of a shard and how many
    there are, such as 2/8, at most 1000.
  Hint: setpoint drift --help shows the options.
`,
  ],
  [
    40,
    `SP5001  Option '--shard <i/n>'
    argument '9/8' is invalid. Expected
    the number of a shard and how many
    there are, such as 2/8, at most
    1000.
  Hint: setpoint drift --help shows
    the options.
`,
  ],
])("on a terminal of %d columns, no line of an error is broken within a word", (columns, expected) => {
  let text = "";
  const writeErr = (part: string) => {
    text += part;
  };
  const narrow: typeof process.stderr = Object.assign(Object.create(process.stderr), { columns });
  vi.spyOn(process, "stderr", "get").mockReturnValue(narrow);
  const command = program("", async () => {}).exitOverride();
  for (const each of [command, ...command.commands]) each.configureOutput({ writeErr }).exitOverride();
  const words = ["drift", "--shard", "9/8"];
  expect(() => command.parse(words, { from: "user" })).toThrow(expect.objectContaining({ exitCode: 1 }));
  expect(text).toBe(expected);
});

test("with --json an error of the command line is JSON too", async () => {
  const { code, out, err } = await setpoint(["plan", "--json", "--shard", "0/1"]);
  expect({ code, err, problems: JSON.parse(out).problems }).toEqual({
    code: 1,
    err: "",
    problems: [
      {
        code: "SP5001",
        message: expect.stringMatching(/^Option '--shard <i\/n>' argument '0\/1' is invalid\. Expected/),
        hint: "setpoint plan --help shows the options.",
      },
    ],
  });
});

test.each([
  [["paln"], "SP5001  Unknown command 'paln'. Did you mean plan?\n  Hint: setpoint --help shows the commands.\n"],
  [["plan", "--jsn"], "SP5001  Unknown option '--jsn'. Did you mean --json?\n  Hint: setpoint plan --help shows"],
  [["report", "merge", "x", "--jsn"], "\n  Hint: setpoint report merge --help shows the options.\n"],
  [["plan", "--only"], "SP5001  Option '--only <address>' argument missing.\n"],
  [["validate", "extra"], "SP5001  Too many arguments for 'validate'. Expected 0 arguments but got 1: extra.\n"],
  [["sandbox", "--port", "99999"], "argument '99999' is invalid. Expected a number up to 65535.\n"],
  [["plan", "--expires", "2 weeks"], "is invalid. Expected a duration such as 500ms, 12h, 90d or 2w.\n"],
  [["apply", "--wait", "soon"], "is invalid. Expected a duration such as 500ms, 12h, 90d or 2w.\n"],
  [["ack", "*", "--until", "2027-01-20", "--reason", "…"], "argument '…' is invalid. Expected some text.\n"],
  [["ack", "*", "--until", "2027-02-30"], "is invalid. Expected a day that the month has.\n"],
])("%j is an error with a hint", async (args, expected) => {
  const { code, out, err } = await setpoint(args);
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).toContain(expected);
  expect(err).toMatch(/\n {2}Hint: setpoint .*--help shows the (options|commands)\.\n$/);
});
