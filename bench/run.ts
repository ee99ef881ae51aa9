/** Measures how fast and how frugal setpoint is; `--help` shows the options. */

import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ParseArgsConfig, parseArgs } from "node:util";
import { formatted } from "../scripts/generate/format.ts";
import { cases } from "./cases.ts";
import { withContext } from "./harness/context.ts";
import { thisMachine } from "./harness/machine.ts";
import { measureCase } from "./harness/measure.ts";
import type { CaseResult } from "./harness/results.ts";
import { sidesTable, table } from "./harness/table.ts";

const root = join(import.meta.dirname, "..");
const help = `Measures how fast and how frugal setpoint is. Takes minutes: bench/README.md says what the figures mean.

Usage: npm run bench -- [options]

  --only <case>  this case only (repeatable)
  --quick        fewer and smaller runs, for a look
  --all          also shows what every side of a case used
  --save         saves the figures of a whole run in bench/results.json, and makes docs/performance.md from them
  --help         shows this help

Cases: ${cases.map(({ name }) => name).join(", ")}`;
// Every running service and command adds a listener, so that none is left behind.
process.setMaxListeners(50);
const { values } = optionsOf({
  options: {
    only: { type: "string", multiple: true, default: [] },
    all: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    save: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
const chosen = cases.filter(({ name }) => values.only.length === 0 || values.only.includes(name));
const mistakes = [
  ...values.only
    .filter((name) => !cases.some((known) => known.name === name))
    .map((name) => `There is no case ${name}. The cases are ${cases.map((known) => known.name).join(", ")}.`),
  ...(values.save && (values.quick || values.only.length > 0)
    ? ["--save keeps the figures of a whole run: leave out --only and --quick."]
    : []),
  ...(existsSync(join(root, "dist/program/start.js"))
    ? []
    : ["The package is not built: run npm run build first. The benchmark measures what users have."]),
  ...(spawnSync("python3", ["--version"]).status === 0
    ? []
    : ["There is no python3, which measures what a process has used."]),
];
if (values.help) console.log(help);
else if (mistakes.length === 0) await measure();
else {
  for (const mistake of mistakes) console.error(mistake);
  process.exitCode = 1;
}

/** Parses the options. An unknown option ends the run with a message. */
function optionsOf<Config extends ParseArgsConfig>(config: Config): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\nnpm run bench -- --help shows the options.`);
    process.exit(1);
  }
}

async function measure(): Promise<void> {
  // An exit cleans up processes and files; an end by a signal does not.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
  const results: CaseResult[] = [];
  for (const each of chosen)
    results.push(await withContext(values.quick, (context) => measureCase(each, context, say)));
  clear();
  console.log(table(results));
  if (values.all) console.log(`\n${sidesTable(results)}`);
  if (values.quick) console.log("\nA quick run: sizes are a tenth of those named, and the figures mean little.");
  if (!values.save) return;
  const file = { path: "bench/results.json", text: JSON.stringify({ machine: thisMachine(), cases: results }) };
  writeFileSync(join(root, file.path), formatted(root, file).text);
  spawnSync(process.execPath, ["scripts/generate.ts"], { cwd: root, stdio: "inherit" });
}

/** Says on standard error what is being measured. */
function say(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
  else process.stderr.write(`${text}\n`);
}

function clear(): void {
  if (process.stderr.isTTY) process.stderr.write("\r\u001b[K");
}
