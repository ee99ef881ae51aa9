import { ProblemError } from "../../src/core/problem.ts";
import { Secret } from "../../src/core/secret.ts";
import type { Sink } from "../../src/core/sink.ts";
import { journalLines, type Runs } from "../../src/engine/journal/journal.ts";
import { lineMaker } from "../../src/engine/journal/journal-file.ts";
import type { ReadHeld, SinkOpener } from "../../src/engine/secrets/sink.ts";
import type { Life } from "./life.ts";

/** What a machine keeps from run to run. */
export interface Machine {
  /** The text of each journal, in the order of the runs. */
  readonly journals: Map<string, string>;
  /** What each sink holds. */
  readonly vault: Map<string, string>;
}

export function machineOf(vault: ReadonlyMap<string, string> = new Map()): Machine {
  return { journals: new Map(), vault: new Map(vault) };
}

/** Returns the journals on a machine as one run sees them. `full` is the step from which its disk is full. */
export function runsOf({ journals }: Machine, life: Life, full: number | undefined): Runs {
  return {
    newest: () => [...journals.keys()].at(-1),
    past: (read = journalLines) => [...journals].map(([name, text]) => ({ name, lines: read(text, name) })),
    open(run) {
      let written = 0;
      const lineOf = lineMaker();
      const name = `${run}-${journals.size}`;
      const append = (text: string) => journals.set(name, (journals.get(name) ?? "") + text);
      return {
        path: name,
        async write(entry) {
          if (life.isOver()) return new Promise(() => {});
          const line = lineOf(entry);
          const half = line.slice(0, line.length / 2);
          if (!life.step(`within the journal's ${entry.event}`)) {
            append(half);
            return new Promise(() => {});
          }
          if (full !== undefined && written++ >= full) {
            append(half);
            throw new ProblemError({ code: "SP5004", message: "The journal cannot be written: ENOSPC." });
          }
          append(line);
          if (!life.step(`after the journal's ${entry.event}`)) return new Promise(() => {});
        },
        async close() {},
      };
    },
  };
}

/** Reads what a sink holds. */
export function heldBy({ vault }: Machine): ReadHeld {
  return async (sink) => {
    const text = vault.get(sinkName(sink));
    return text === undefined ? undefined : new Secret(text);
  };
}

/** Returns the sinks of a machine as one run sees them. `fails`: whether they refuse every secret. */
export function sinksOf({ vault }: Machine, life: Life, fails: boolean): SinkOpener {
  return (sink) => ({
    async put(secret) {
      if (!life.step("before a delivery")) return new Promise(() => {});
      if (fails) throw new ProblemError({ code: "SP4005", message: "The sink takes nothing." });
      vault.set(sinkName(sink), secret.reveal());
      if (!life.step("after a delivery")) return new Promise(() => {});
    },
  });
}

export function sinkName(sink: Sink): string {
  if ("file" in sink) return `file ${sink.file}`;
  return "dotenv" in sink ? `dotenv ${sink.dotenv} ${sink.name}` : `command ${sink.command.join(" ")}`;
}
