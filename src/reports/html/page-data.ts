import type { Verdict } from "../../core/change.ts";
import type { HistoryEntry } from "../../core/history.ts";

/*
 * What the page is made of: written by `view.ts` as JSON, which leaves out what is undefined, and read by the program in
 * `app/`. Every text is shown as it is: characters that cannot be seen are written out, secrets are dots, and nothing is
 * markup.
 */

/** Everything on one page. */
export interface PageData {
  readonly command: "plan" | "drift" | "apply";
  /** Whether the plan tells what a change does from what had drifted before. */
  readonly hasBase: boolean;
  readonly title: string;
  readonly when: string;
  /** What the plan was made from, and how long it holds. */
  readonly facts: readonly string[];
  /** What a person would say on the phone. */
  readonly sentence: string;
  /** Nothing is to be looked at. */
  readonly isCalm: boolean;
  readonly services: readonly PageService[];
  readonly notes: readonly PageNote[];
  /** What changes and what is unknown. */
  readonly rows: readonly PageRow[];
  readonly inSync: readonly PageGroup[];
  /** The different sets of labels; rows and groups name them by index. */
  readonly labels: readonly Readonly<Record<string, string>>[];
  readonly ignored: readonly PageIgnored[];
  readonly unmanaged: readonly string[];
  readonly calls: PageCalls;
  readonly history: readonly PageRun[];
  /** What the history says of the findings of today. */
  readonly since?: string | undefined;
  /** Until when the command mutes a drift. */
  readonly mutedUntil: string;
}

export interface PageService {
  readonly name: string;
  readonly url: string;
  readonly reads: number;
}

/** Something to know before looking at the rows. */
export interface PageNote {
  readonly tone: "bad" | "care" | "plain";
  readonly title: string;
  readonly items: readonly PageNoteItem[];
  /** Items that are left out. */
  readonly more: number;
}

export interface PageNoteItem {
  readonly text: string;
  readonly address?: string | undefined;
  readonly hint?: string | undefined;
}

/** A resource with something to look at. */
export interface PageRow {
  readonly address: string;
  readonly verdict: Verdict | "unknown" | "acknowledged";
  /** What is shown to be done, or to have been done. */
  readonly action: "create" | "update" | "delete" | "check" | "none";
  readonly words: readonly string[];
  readonly risks: readonly string[];
  readonly fields: readonly PageField[];
  readonly result?: string | undefined;
  readonly problem?: PageProblem | undefined;
  readonly where?: string | undefined;
  readonly instruction?: string | undefined;
  readonly events: readonly string[];
  readonly since?: string | undefined;
  /** Whether it can be undone, accepted or muted by a command that can be pasted. */
  readonly canUndo?: true | undefined;
  readonly needs: readonly string[];
  readonly labels?: number | undefined;
}

/** A field with its values in the order in which they are told. */
export interface PageField {
  readonly name: string;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  /** Which side changed it, if it is not that of the row. */
  readonly side?: string | undefined;
  /** The lines of a text, each with its sign in front. */
  readonly lines?: readonly string[];
}

export interface PageProblem {
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** Resources in sync of one kind. */
export interface PageGroup {
  readonly service: string;
  readonly kind: string;
  readonly keys: readonly string[];
  /** By position in `keys`: index of a set of labels, or -1. Left out if no key has labels. */
  readonly labels?: readonly number[] | undefined;
}

/** A field that differs and is ignored without an end. */
export interface PageIgnored {
  readonly address: string;
  readonly field: string;
}

export interface PageCalls {
  readonly summary: string;
  /** Calls by `service.operation`. */
  readonly counts: readonly (readonly [string, number])[];
  readonly phases: readonly (readonly PageLane[])[];
  readonly triggers: readonly string[];
  /** What the services with a quota have left after an apply. */
  readonly quotas: readonly PageQuota[];
}

export interface PageQuota {
  readonly text: string;
  readonly suffices: boolean;
}

/** A remote object with its calls, in order. */
export interface PageLane {
  readonly lane: string;
  readonly calls: readonly PageCall[];
}

export interface PageCall {
  readonly name: string;
  /** Positions in the page's rows. */
  readonly carries: readonly number[];
  readonly result?: string | undefined;
}

/** A run of the past. */
export interface PageRun {
  readonly at: string;
  readonly counts: HistoryEntry["counts"];
}
