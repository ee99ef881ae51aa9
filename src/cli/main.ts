import { readFileSync } from "node:fs";
import { debuglog } from "node:util";
import { reasonOf } from "../core/text/reason.ts";
import type { ExitCode } from "./exit.ts";
import { installed } from "./installed.ts";
import type { Interrupts } from "./options/options.ts";

/** Milliseconds in which a repeated signal counts once: a wrapper such as npm forwards a signal that the terminal sent to all. */
const echo = 200;

const listened = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

// A reader that exits, such as `head`, or a full disk must not end an apply half-way: the run goes on without its output.
process.stdout.once("error", unwritten).on("error", () => {});
process.stderr.on("error", () => {});

void main();

async function main(): Promise<void> {
  const { program } = await import("./program.ts");
  const [asked, ...names] = process.argv.slice(2);
  // Commander's `help` command supports `help report`, but not `help report merge`.
  const words = asked === "help" && names.length > 1 ? [...names, "--help"] : process.argv.slice(2);
  await program(packageVersion(), run, asked).parseAsync(words, { from: "user" });
}

async function run(command: (interrupts: Interrupts) => Promise<ExitCode>): Promise<void> {
  const { release, ...interrupted } = interrupts();
  const { signal } = interrupted;
  const { exitCodes } = await import("./exit.ts");
  try {
    const code = await command(interrupted);
    process.exitCode = signal.aborted ? exitCodes.stopped : code;
  } catch (error) {
    const { knownProblems, failureExitCode, Unsent } = await import("./failure.ts");
    const { neutralLine } = await import("../reports/neutral.ts");
    const { openOutput, failWith } = await import("./terminal/output.ts");
    const output = openOutput({ json: process.argv.includes("--json"), color: !process.argv.includes("--no-color") });
    const problems = knownProblems(error);
    process.exitCode = signal.aborted ? exitCodes.stopped : failureExitCode(problems);
    if (problems !== undefined) failWith(output, { problems }, error instanceof Unsent ? "Nothing was done." : "");
    else
      process.stderr.write(
        `setpoint failed: ${neutralLine(String(error))}\nThis is a bug in setpoint; NODE_DEBUG=setpoint shows where.\n`,
      );
    debuglog("setpoint")("%o", error);
  } finally {
    release();
    // Connections that are still being made, and lookups, would keep the process alive.
    if (interrupted.stopping.aborted) process.stdout.write("", () => process.exit());
  }
}

/** Makes the run fail if its output cannot be written, unless the reader has exited. */
function unwritten(error: NodeJS.ErrnoException): void {
  if (error.code === "EPIPE") return;
  process.stderr.write(`SP1017  The output cannot be written: ${reasonOf(error)}.\n`);
  process.once("exit", (code) => {
    process.exitCode = code || 1;
  });
}

function packageVersion(): string {
  const text = readFileSync(installed("package.json"), "utf8");
  const { version: found }: { readonly version: string } = JSON.parse(text);
  return found;
}

/**
 * Listens for Ctrl-C, SIGTERM and the closing of the terminal until it is released. After the second one it stops listening,
 * so a third one ends the process.
 */
function interrupts(): Interrupts & { release(): void } {
  const controllers = [new AbortController(), new AbortController()] as const;
  let last: { readonly name: NodeJS.Signals; readonly at: number } | undefined;
  const interrupt = (name: NodeJS.Signals) => {
    const at = performance.now();
    // A shell also reports a closed terminal, at any later time. Nobody is left to press Ctrl-C twice, so it counts once.
    if (last?.name === name && (name === "SIGHUP" || at - last.at < echo)) return;
    last = { name, at };
    const next = controllers.find(({ signal }) => !signal.aborted);
    next?.abort();
    if (next === controllers[1]) release();
  };
  const release = () => {
    for (const name of listened) process.removeListener(name, interrupt);
  };
  for (const name of listened) process.on(name, interrupt);
  return { stopping: controllers[0].signal, signal: controllers[1].signal, release };
}
