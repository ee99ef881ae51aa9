import type { Address } from "../core/resource.ts";
import { type Journal, openJournal } from "./journal.ts";
import { undeliveredIn } from "./secrets/undelivered.ts";

/** Where the runs of a workspace leave their journals. */
export interface Runs {
  /** Opens the journal of a new run. Throws the file system's error if it cannot be written. */
  open(run: string): Journal;
  /** Resources whose new secret an earlier run asked for and may not have delivered. */
  undelivered(): ReadonlySet<Address>;
}

/** The journals in `.setpoint/runs/` of a folder. */
export function diskRuns(folder: string, now: () => Date): Runs {
  return { open: (run) => openJournal(folder, run, now), undelivered: () => undeliveredIn(folder) };
}
