import type { Fake } from "./fake.ts";
import type { Command, Finished } from "./process.ts";
import type { Figure, Sample } from "./sample.ts";

/** One of the programs of a case, such as a command and what it is compared with. */
export interface Side {
  readonly name: string;
  /** Runs the program once, in a state that earlier runs have not changed. */
  readonly run: () => Promise<Sample>;
  /** How often, if not as often as the case says: for what takes long. */
  readonly rounds?: number;
}

/** How a value is read: `times` is a ratio. */
export type Unit = "times" | "milliseconds" | "bytes" | "count";

/** What a case shows. `value` is undefined if a side that it needs could not be measured. */
export interface Verdict {
  readonly what: string;
  readonly value: number | undefined;
  readonly unit: Unit;
  readonly target?: { readonly is: "at most" | "at least"; readonly value: number } | undefined;
}

/** Something that was not measured, and why. */
export interface Gap {
  readonly what: string;
  readonly why: string;
}

/** The median of a side's figure; undefined if it was not measured. */
export type Medians = (side: string, figure: Figure) => number | undefined;

/** A case that is ready: its sides take turns, so that what else the machine does meets all of them. */
export interface Prepared {
  readonly is: "ready";
  readonly rounds: number;
  readonly sides: readonly Side[];
  readonly verdicts: (medians: Medians) => readonly Verdict[];
  /** What to know of this run, such as versions; in whole sentences. */
  readonly note?: string;
  /** Sides that this machine cannot run. */
  readonly gaps?: readonly Gap[];
}

/** A case that this machine, or this version, cannot run. */
export interface NotReady {
  readonly is: "skipped";
  readonly why: string;
}

/** One row of the benchmark. */
export interface Case {
  /** What `--only` takes. */
  readonly name: string;
  readonly title: string;
  /** What is measured against what, in one or two sentences. */
  readonly how: string;
  readonly prepare: (context: Context) => Promise<Prepared | NotReady>;
}

/** What a case has to work with. */
export interface Context {
  /** Whether fewer and smaller runs are enough. */
  readonly isQuick: boolean;
  /** An empty folder, gone after the case. */
  readonly folder: string;
  /** Runs a program in a process of its own and measures it. Throws if it fails. */
  readonly run: (command: Command) => Promise<Finished>;
  /** Runs setpoint as users have it, with a home folder inside `folder`. Throws if it fails. */
  readonly setpoint: (args: readonly string[], options: SetpointOptions) => Promise<Finished>;
  /** Starts a program of `bench/fake/`, or another one that prints where it listens; it ends after the case. */
  readonly fake: (program: string, ...options: readonly string[]) => Promise<Fake>;
}

/** How setpoint runs. */
export interface SetpointOptions {
  /** The folder of the workspace. */
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** File for standard output. */
  readonly output?: string;
}
