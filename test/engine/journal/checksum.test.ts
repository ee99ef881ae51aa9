import { expect, onTestFinished, test, vi } from "vitest";
import { type JournalEntry, journalLines, undeliveredIn } from "../../../src/engine/journal/journal.ts";
import { lineMaker, linesOnSecrets } from "../../../src/engine/journal/journal-file.ts";
import { damageIn } from "../../../src/engine/journal/past-runs.ts";
import { diskRuns } from "../../../src/engine/journal/runs.ts";
import { temporaryFolder } from "../../support/commands.ts";

const address = "store/Token/deploy";
const deliver = { from: "x", to: { file: "x" }, otherwise: { operation: "y", argument: "z", from: "x" } };
const start: JournalEntry = { event: "start", run: "1", calls: 1, undelivered: ["store/Token/other"] };
const end: JournalEntry = { event: "end", outcomes: [{ address: "é/\ufffd", result: "applied" }] };
const call = (id: number, isDelivery = false): readonly JournalEntry[] => [
  {
    event: "intent",
    call: {
      ...{ id, service: "store", operation: "put", args: { text: "ü\n" }, carries: [address], phase: 0, lane: "a" },
      ...(isDelivery ? { deliver } : {}),
    },
  },
  { event: "outcome", outcome: { id, result: isDelivery ? "failed" : "done", duration: 0 } },
];
const textOf = (entries: readonly JournalEntry[]) => entries.map(lineMaker()).join("");

/** What a plan learns from a journal. */
function learnt(text: string, read: typeof journalLines): string {
  const past = [{ name: "1", lines: read(text) }];
  return JSON.stringify([past[0]?.lines.torn, damageIn(past), ...undeliveredIn(past)]);
}

/** The lines that are parsed while `read` runs. */
function parsedBy(read: () => void): number {
  const parsing = vi.spyOn(JSON, "parse");
  onTestFinished(() => parsing.mockRestore());
  read();
  const { length } = parsing.mock.calls.filter(([line]) => line !== "");
  parsing.mockRestore();
  return length;
}

test.each([
  ["no secret", textOf([start, ...call(1), end])],
  ["a secret that was not delivered", textOf([start, ...call(1, true), end])],
  ["no end", textOf([start, ...call(1)])],
])("a plan learns the same from a journal with %s as from all its lines, wherever it is damaged", (_what, whole) => {
  const edits = [
    ["", 0],
    ["", 40],
    ["", whole.length],
    ["\n", 0],
    ["1", 1],
  ] as const;
  const damaged = Array.from(whole, (_sign, at) =>
    edits.map(([put, drop]) => whole.slice(0, at) + put + whole.slice(at + drop)),
  ).flat();
  expect(damaged.filter((text) => learnt(text, linesOnSecrets) !== learnt(text, journalLines))).toEqual([]);
});

test("of a journal of many calls, a plan parses only the first line if no secret was delivered and nothing is damaged", async () => {
  await using folder = await temporaryFolder();
  const runs = diskRuns(folder.path, () => new Date(0));
  const calls = Array.from({ length: 50 }, (_none, index) => call(index + 1)).flat();
  for (const name of ["1", "2", "3"]) {
    const journal = runs.open(name);
    for (const entry of [start, ...calls, end]) await journal.write(entry);
    await journal.close();
  }
  expect(parsedBy(() => runs.past(linesOnSecrets))).toBe(3);
  expect(parsedBy(() => runs.past())).toBe(3 * 102);
});

test("all lines are parsed of a journal that was added to, or that has a delivery", () => {
  const whole = textOf([start, ...call(1), end]);
  expect(linesOnSecrets(`${whole}\n`).entries).toHaveLength(4);
  expect(linesOnSecrets(`${whole}{`).torn).toBe(true);
  expect(linesOnSecrets(textOf([start, ...call(1, true), end])).entries).toHaveLength(4);
});
