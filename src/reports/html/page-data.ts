import type { Verdict } from "../../core/change.ts";
import type { HistoryEntry } from "../../core/run/history.ts";

/*
 * The data of the page. `view.ts` writes it as JSON, which leaves out undefined members, and the program in `app/` reads it.
 * Every string is shown as it is: invisible characters are already escaped, secrets are dots, and nothing is markup.
 */

export interface PageData {
  readonly command: HistoryEntry["command"];
  /** Whether the plan can distinguish what a change does from what had drifted before. */
  readonly hasBase: boolean;
  readonly title: string;
  readonly when: string;
  /** What the plan was made from, and how long it can be applied. */
  readonly facts: readonly string[];
  /** The result in plain words. */
  readonly sentence: string;
  /** Whether there is nothing to look at. */
  readonly isCalm: boolean;
  readonly services: readonly { readonly name: string; readonly reads: number }[];
  readonly notes: readonly PageNote[];
  /** The resources that change or are unknown. */
  readonly rows: readonly PageRow[];
  readonly inSync: readonly PageGroup[];
  /** The different sets of labels; rows and groups name them by index. */
  readonly labels: readonly Readonly<Record<string, string>>[];
  /** The fields that differ and are ignored without an end date. */
  readonly ignored: readonly { readonly address: string; readonly field: string }[];
  readonly unmanaged: readonly string[];
  readonly calls: PageCalls;
  readonly history: readonly Pick<HistoryEntry, "at" | "counts">[];
  /** What the history says about the findings of the last run. */
  readonly since?: string | undefined;
  /** The day until which the suggested command mutes a drift. */
  readonly mutedUntil: string;
  /** The end of the suggested commands: the options that select the workspace and its values. */
  readonly given: string;
}

/** Something to know before reading the rows. */
export interface PageNote {
  readonly tone: "bad" | "care" | "plain";
  readonly title: string;
  readonly items: readonly PageNoteItem[];
  /** The number of items that are left out. */
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
  /** The action that a plan would take, or that happened in a drift. */
  readonly action: "create" | "update" | "delete" | "check" | "none";
  readonly words: readonly string[];
  readonly risks: readonly string[];
  readonly fields: readonly PageField[];
  readonly result?: string | undefined;
  readonly problem?:
    | { readonly code: string; readonly message: string; readonly hint?: string | undefined }
    | undefined;
  readonly where?: string | undefined;
  readonly instruction?: string | undefined;
  readonly events: readonly string[];
  readonly since?: string | undefined;
  /** The commands that work for the change and can be pasted. */
  readonly answers: readonly ("Undo" | "Accept" | "Mute")[];
  readonly needs: readonly string[];
  readonly labels?: number | undefined;
}

/** A field, with its values in the order in which they are shown. */
export interface PageField {
  readonly name: string;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  /** Which side changed the field, if the verdict of the row says otherwise. */
  readonly side?: string | undefined;
  /** The lines of a text, each after its sign. */
  readonly lines?: readonly string[];
}

/** The resources of one kind that are in sync. */
export interface PageGroup {
  readonly service: string;
  readonly kind: string;
  readonly keys: readonly string[];
  /** The index of a set of labels, or -1, for each position in `keys`. Left out if no key has labels. */
  readonly labels?: readonly number[] | undefined;
}

export interface PageCalls {
  readonly summary: string;
  /** The number of calls of each `service.operation`. */
  readonly counts: readonly (readonly [string, number])[];
  readonly phases: readonly (readonly PageLane[])[];
  readonly triggers: readonly string[];
  /** What services with a quota have left after an apply. */
  readonly quotas: readonly { readonly text: string; readonly suffices: boolean }[];
}

/** A remote object with its calls, in the order of sending. */
export interface PageLane {
  readonly lane: string;
  readonly calls: readonly PageCall[];
}

export interface PageCall {
  readonly name: string;
  /** Indexes of the page's rows. */
  readonly carries: readonly number[];
  readonly result?: string | undefined;
}
