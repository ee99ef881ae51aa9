import type { Context } from "../harness/case.ts";
import type { Finished } from "../harness/process.ts";

/** What a tool does with the workflow permissions of so many repositories. */
export interface Task {
  /** The service's address. */
  readonly url: string;
  readonly repositories: number;
  /** An empty folder. */
  readonly cwd: string;
}

/** A tool that has its task. */
export interface Ready {
  /** Forgets what earlier runs have left on disk. */
  readonly forget: () => void;
  readonly plan: () => Promise<Finished>;
  readonly apply: () => Promise<Finished>;
}

/** What a user would pick instead. */
export interface Peer {
  readonly name: string;
  /** How many of a thousand repositories it is given, if it is too slow for all of them. */
  readonly share?: number;
  /** How often it runs, if once is enough. */
  readonly rounds?: number;
  /** Why this machine cannot run it; undefined if it can. */
  readonly whyMissing: () => string | undefined;
  /** The command that prints its version in its first line. */
  readonly version?: () => readonly string[];
  /** Writes what the tool reads. */
  readonly prepare: (context: Context, task: Task) => Ready;
}

/** How a repository is called; all tools use the same names. */
export function repositoryName(index: number): string {
  return `repository-${String(index).padStart(6, "0")}`;
}
