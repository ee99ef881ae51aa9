import { relative } from "node:path";
import { clearScreenDown, cursorTo } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { neutralLine } from "../reports/neutral.ts";
import type { OpenWorkspace } from "../setpoint.ts";
import { type ExitCode, exitCodes } from "./exit.ts";
import { problemsOf } from "./failure.ts";
import { failWith, type Output } from "./terminal/output.ts";

/** What is run again, and how it is shown. */
export interface Watching {
  readonly output: Output;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Opens the workspace with `watches`. */
  open(): OpenWorkspace;
  /** Runs once. */
  run(workspace: OpenWorkspace): Promise<ExitCode>;
}

/**
 * Runs, and runs again whenever a file that was read, found or missed is another one now, until it is interrupted. What a
 * run finds wrong is printed and ends nothing.
 */
export async function watch({ output, signal, open, run }: Watching): Promise<ExitCode> {
  const events = await folderEvents(open().folder, signal);
  try {
    let changed: readonly string[] = [];
    while (!signal.aborted) {
      beginScreen(changed, output);
      const workspace = open();
      await run(workspace).catch((error: unknown) => {
        const problems = problemsOf(error);
        if (problems === undefined) throw error;
        if (!signal.aborted) failWith(output, { problems }, "Nothing more was done.", exitCodes.wrong);
      });
      if (signal.aborted) break;
      process.stderr.write("Watching for changes; Ctrl-C ends.\n");
      // What changed while it was read counts too.
      for (changed = []; changed.length === 0 && !signal.aborted; ) {
        changed = await workspace.changes();
        if (changed.length === 0) await events.next();
      }
    }
    return exitCodes.ok;
  } finally {
    await events.close();
  }
}

/** An empty screen on a terminal; elsewhere a line that says where the next run begins. */
function beginScreen(changed: readonly string[], output: Output): void {
  if (output.json) return;
  if (process.stdout.isTTY) {
    cursorTo(process.stdout, 0, 0);
    clearScreenDown(process.stdout);
  }
  if (changed.length > 0) output.print(`--- ${changed.join(", ")} changed ---`);
}

/** Milliseconds in which changes of several files count as one, such as those of a checkout. */
const together = 100;

/** What never is part of a workspace. */
const ignored = /(?:^|[/\\])(?:node_modules|\.git|\.setpoint)(?:[/\\]|$)/;

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Tells when something below a folder has changed. */
async function folderEvents(folder: string, signal: AbortSignal) {
  const { watch: watchFolder } = await import("chokidar");
  let hasChanged = false;
  let wake = () => {};
  const watcher = watchFolder(folder, {
    ignored: (path) => ignored.test(relative(folder, path)),
    ignoreInitial: true,
    followSymlinks: false,
    // An editor's half-written file is not looked at.
    awaitWriteFinish: { stabilityThreshold: together, pollInterval: together / 4 },
  });
  const ready = Promise.withResolvers<void>();
  let looks = false;
  // A system watches so many files and no more, for all programs of a user together; a folder may be another user's.
  watcher.once("ready", ready.resolve).on("error", (error) => {
    if (!looks) process.stderr.write(`Changes are looked for every second: ${neutralLine(messageOf(error))}.\n`);
    looks = true;
    ready.resolve();
    wake();
  });
  watcher.on("all", () => {
    hasChanged = true;
    wake();
  });
  const stop = () => wake();
  signal.addEventListener("abort", stop);
  await ready.promise;
  return {
    /** Resolves after the next change, at once if there was one since the last time, and when it is interrupted. */
    async next(): Promise<void> {
      if (!hasChanged && !looks && !signal.aborted)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      await setTimeout(looks ? 1000 : together, undefined, { signal }).catch(() => undefined);
      hasChanged = false;
    },
    async close(): Promise<void> {
      signal.removeEventListener("abort", stop);
      await watcher.close();
    },
  };
}
