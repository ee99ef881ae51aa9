import { closeSync, fsyncSync, mkdirSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { PlannedCall } from "../core/call.ts";
import type { CallOutcome, Outcome } from "../core/outcome.ts";

/** One line of a journal. Secrets in calls are references, as in the plan. */
export type Entry =
  | { readonly event: "start"; readonly run: string; readonly calls: number }
  | { readonly event: "intent"; readonly call: PlannedCall }
  | { readonly event: "outcome"; readonly outcome: CallOutcome }
  | { readonly event: "end"; readonly outcomes: readonly Outcome[] };

/** An append-only file of JSON lines that says, after a crash too, what was about to happen and what did. */
export interface Journal {
  readonly path: string;
  /** Returns when the entry is on disk. */
  write(entry: Entry): void;
  close(): void;
}

/** Opens `<folder>/.setpoint/runs/<run>.jsonl`. Throws the file system's error where it cannot be written. */
export function openJournal(folder: string, run: string, now: () => Date): Journal {
  const runs = join(folder, ".setpoint", "runs");
  mkdirSync(runs, { recursive: true });
  const path = join(runs, `${run}.jsonl`);
  const file = openSync(path, "ax", 0o600);
  return {
    path,
    write(entry) {
      writeSync(file, `${JSON.stringify({ at: now().toISOString(), ...entry })}\n`);
      fsyncSync(file);
    },
    close: () => closeSync(file),
  };
}
