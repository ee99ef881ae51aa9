import { relative } from "node:path";
import { clearScreenDown, cursorTo } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { messageOf } from "../core/text/reason.ts";
import type { OpenWorkspace } from "../setpoint.ts";
import { type ExitCode, exitCodes } from "./exit.ts";
import { knownProblems } from "./failure.ts";
import { notice } from "./terminal/notice.ts";
import { failWith, type Output } from "./terminal/output.ts";

/** What to run again, and how to show it. */
export interface Watching {
  readonly output: Output;
  /** Ends the watching. */
  readonly signal: AbortSignal;
  /** Opens the workspace with `watches`. */
  open(): OpenWorkspace;
  run(workspace: OpenWorkspace): Promise<ExitCode>;
}

/**
 * Runs, and runs again whenever a file that the last run looked for has changed, appeared or disappeared, until it is
 * interrupted. The problems of a run are printed and do not end the watching.
 */
export async function watch({ output, signal, open, run }: Watching): Promise<ExitCode> {
  const events = await folderEvents(open().folder, signal);
  try {
    let changed: readonly string[] = [];
    while (!signal.aborted) {
      beginScreen(changed, output);
      const workspace = open();
      await run(workspace).catch((error: unknown) => {
        const problems = knownProblems(error);
        if (problems === undefined) throw error;
        if (!signal.aborted) failWith(output, { problems }, "The run ended here.", exitCodes.wrong);
      });
      // Nobody reads what the next run would say.
      if (signal.aborted || process.stdout.errored) break;
      notice("Watching for changes; Ctrl-C stops.");
      // Changes made during the run count too.
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

/** Clears a terminal; elsewhere prints a line that marks the start of the next run. */
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

/** Folders that are never part of a workspace. */
const ignored = /(?:^|[/\\])(?:node_modules|\.git|\.setpoint)(?:[/\\]|$)/;

/** Reports changes below a folder. */
async function folderEvents(folder: string, signal: AbortSignal) {
  const { watch: watchFolder } = await import("chokidar");
  let hasChanged = false;
  let wake = () => {};
  const watcher = watchFolder(folder, {
    ignored: (path) => ignored.test(relative(folder, path)),
    ignoreInitial: true,
    followSymlinks: false,
    // Wait until an editor has written a file completely.
    awaitWriteFinish: { stabilityThreshold: together, pollInterval: together / 4 },
  });
  const ready = Promise.withResolvers<void>();
  let looks = false;
  // A system limits how many files all programs of a user can watch together, and a folder can belong to another user.
  watcher.once("ready", ready.resolve).on("error", (error) => {
    if (!looks) notice(`Checking for changes every second: ${messageOf(error)}.`);
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
    /** Resolves after the next change, soon if there was one since the last call, and when it is interrupted. */
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
