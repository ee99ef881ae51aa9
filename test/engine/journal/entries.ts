import type { JournalEntry } from "../../../src/engine/journal/journal.ts";

export const epoch = () => new Date(0);
export const start = { event: "start", run: "run-1", calls: 1 } satisfies JournalEntry;
export const intent = (id: number, deliver?: { readonly address: string }): JournalEntry => ({
  event: "intent",
  call: {
    ...{ id, service: "store", operation: "put", args: {}, carries: [deliver?.address ?? "a"], phase: 0, lane: "a" },
    ...(deliver === undefined
      ? {}
      : { deliver: { from: "x", to: { file: "x" }, otherwise: { operation: "y", argument: "z", from: "x" } } }),
  },
});
export const outcome = (id: number): JournalEntry => ({
  event: "outcome",
  outcome: { id, result: "done", duration: 0 },
});
