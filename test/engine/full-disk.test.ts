import { describe, expect, test } from "vitest";
import { journalLines } from "../../src/engine/journal/journal.ts";
import { type JournalFile, journalOn } from "../../src/engine/journal/journal-file.ts";
import { defaultWorld } from "../../src/sandbox/default-world.ts";
import type { World } from "../../src/sandbox/world.ts";
import { openDirectLab } from "../support/lab.ts";

const names = Array.from({ length: 9 }, (_none, index) => `job-${index}`);
const description = (text: string) => `<project><description>${text}</description></project>`;
const jobs = names
  .map((job) => `---\nkind: JobConfig\nspec: { job: ${job}, config: "${description("new")}" }\n`)
  .join("");

/** Jobs that are out of sync, each an object of its own, so their calls run concurrently. */
function world(): World {
  const { ci, ...others } = defaultWorld();
  const old = { type: "freestyle" as const, parameters: [], builds: [], config: description("old") };
  return { ...others, ci: { ...ci, jobs: Object.fromEntries(names.map((name) => [name, old])) } };
}

/** A file on a disk that is full after this many bytes. Over a network, closing it can then fail too. */
function fileWith(room: number) {
  let text = "";
  let isFull = false;
  const file: JournalFile = {
    path: "the journal",
    async write(bytes) {
      const taken = Math.min(bytes.length, room - text.length);
      isFull ||= taken === 0;
      if (isFull) throw new Error("ENOSPC: no space left on device, write");
      text += new TextDecoder().decode(bytes.subarray(0, taken));
      return taken;
    },
    sync: async () => {},
    truncate: async (length) => {
      text = text.slice(0, length);
    },
    async close() {
      if (isFull) throw new Error("EDQUOT: disk quota exceeded, close");
    },
  };
  return { file, text: () => text };
}

async function applyWith(room: number) {
  const disk = fileWith(room);
  await using lab = await openDirectLab({ world: world(), openJournal: () => journalOn(disk.file, () => new Date(0)) });
  const report = await lab.apply(jobs).catch((error: unknown) => error);
  const state = lab.sandbox.state().ci.jobs;
  const changed = names.filter((name) => state[name]?.config.includes("new"));
  const sent = lab.asked().filter((operation) => operation === "updateJobConfig");
  return { report, changed, sent, text: disk.text() };
}

describe("an apply whose journal can no longer be written", () => {
  test("sends nothing more, verifies what was sent and reports what was done, at whatever point the disk fills up", async () => {
    const { text: whole } = await applyWith(Number.POSITIVE_INFINITY);
    const rooms = Array.from({ length: 24 }, (_none, index) => Math.floor((whole.length * index) / 24));
    for (const room of rooms) {
      const { report, changed, sent, text } = await applyWith(room);
      const { entries, torn, damaged } = journalLines(text);
      expect({ torn, damaged }).toEqual({ torn: false, damaged: [] });
      const intents = entries.filter((entry) => JSON.stringify(entry).includes('"event":"intent"'));
      // No call was sent without its intent on disk.
      expect(sent.length).toBeLessThanOrEqual(intents.length);
      expect(changed).toHaveLength(sent.length);
      if (report instanceof Error) {
        expect(report).toMatchObject({ problems: [{ code: "SP5004" }] });
        expect(sent).toEqual([]);
        continue;
      }
      expect(report).toMatchObject({
        problems: [{ code: "SP5004", message: expect.stringContaining("ENOSPC") }],
        outcomes: names.map((name) => ({
          address: `ci/JobConfig/${name}`,
          ...(changed.includes(name)
            ? { result: "applied" }
            : { result: "skipped", problem: { code: "SP5004", service: "ci" } }),
        })),
      });
    }
  });

  test("names the calls whose outcomes are only in the report", async () => {
    const { text: whole } = await applyWith(Number.POSITIVE_INFINITY);
    const room = whole.indexOf('"event":"outcome"');
    const { report, changed } = await applyWith(room);
    expect(changed.length).toBeGreaterThan(0);
    expect(report).toMatchObject({
      problems: [{ message: expect.stringMatching(/It has no outcome for calls? \d/) }],
    });
  });
});
