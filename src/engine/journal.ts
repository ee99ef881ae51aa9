import { closeSync, fsyncSync, mkdirSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { PlannedCall } from "../core/call.ts";
import type { JsonObject } from "../core/json.ts";
import type { CallOutcome, Outcome } from "../core/outcome.ts";

/** One line of a journal. Secrets in calls are references, as in the plan. */
export type Entry =
  | { readonly event: "start"; readonly run: string; readonly calls: number }
  | { readonly event: "intent"; readonly call: PlannedCall }
  | { readonly event: "outcome"; readonly outcome: CallOutcome }
  /** A new secret that could not be delivered is revoked; `id` is that of the call that made it. */
  | { readonly event: "take back"; readonly id: number; readonly operation: string; readonly args: JsonObject }
  | { readonly event: "end"; readonly outcomes: readonly Outcome[] };

/** An append-only file of JSON lines that says, after a crash too, what was about to happen and what did. */
export interface Journal {
  readonly path: string;
  /** Returns when the entry is on disk. */
  write(entry: Entry): void;
  close(): void;
}

/** Where the journals of a workspace are. */
export function runsFolder(folder: string): string {
  return join(folder, ".setpoint", "runs");
}

/** Opens `<folder>/.setpoint/runs/<run>.jsonl`. Throws the file system's error where it cannot be written. */
export function openJournal(folder: string, run: string, now: () => Date): Journal {
  const runs = runsFolder(folder);
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
