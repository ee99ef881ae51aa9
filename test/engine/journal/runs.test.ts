import fs, { existsSync, mkdirSync, readFileSync, rmSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import {
  type Journal,
  type JournalEntry,
  journalLines,
  runName,
  undeliveredIn,
} from "../../../src/engine/journal/journal.ts";
import { diskRuns } from "../../../src/engine/journal/runs.ts";
import { temporaryFolder } from "../../support/commands.ts";
import { epoch, intent, outcome, start } from "./entries.ts";

describe("the journals of a workspace", () => {
  async function finish(journal: Journal, entries: readonly JournalEntry[]) {
    for (const entry of entries) await journal.write(entry);
    await journal.close();
  }

  test.each([
    ["f00d", "0001"],
    ["0001", "f00d"],
  ])("from the same second are in the order in which they were written: %s, then %s", async (first, second) => {
    await using folder = await temporaryFolder();
    const runs = diskRuns(folder.path, epoch);
    const names = [first, second].map((random) => `2026-11-22T044415Z-${random}`);
    const written = [
      [start, intent(7, { address: "store/Token/deploy" })],
      [start, intent(7, { address: "store/Token/deploy" }), outcome(7)],
    ];
    for (const [index, entries] of written.entries()) {
      const journal = runs.open(names[index] ?? "");
      for (const entry of entries) await journal.write(entry);
      await journal.close();
      utimesSync(journal.path, index, index);
    }
    expect(runs.past().map(({ name }) => name)).toEqual(names);
    expect([...undeliveredIn(runs.past())]).toEqual([]);
  });

  test("that someone has renamed are the oldest", async () => {
    await using folder = await temporaryFolder();
    const runs = diskRuns(folder.path, epoch);
    const delivered = [start, intent(7, { address: "store/Token/deploy" }), outcome(7)];
    const names = ["9999-last", "old-2026-11-24T044415Z-f00d", "2026-11-23T044415Z-0001"];
    for (const [index, name] of names.entries()) {
      const journal = runs.open(name);
      for (const entry of index === 2 ? delivered : delivered.slice(0, 2)) await journal.write(entry);
      await journal.close();
      // A copy is written later than what it was copied from.
      utimesSync(journal.path, (index + 1) % 3, (index + 1) % 3);
    }
    expect(runs.past().map(({ name }) => name)).toEqual(names);
    expect(runs.newest()).toBe("2026-11-23T044415Z-0001.jsonl");
    expect([...undeliveredIn(runs.past())]).toEqual([]);
  });

  test("are in the order of the runs, whatever the clock said", async () => {
    await using folder = await temporaryFolder();
    const moments = [
      "2040-01-02T03:04:59Z",
      "2026-11-23T00:00:00Z",
      "1970-01-01T00:00:00Z",
      "2040-01-02T03:05:02.500Z",
      "2040-01-02T03:05:02.900Z",
    ];
    const named = [];
    for (const moment of moments) {
      const runs = diskRuns(folder.path, () => new Date(moment));
      const name = runName(runs.newest(), new Date(moment));
      named.push(name.slice(0, -5));
      await finish(runs.open(name), [start]);
    }
    expect(named).toEqual([
      "2040-01-02T030459Z",
      "2040-01-02T030500Z",
      "2040-01-02T030501Z",
      "2040-01-02T030502Z",
      // Another run of the same second: its name differs, whatever the random part is.
      "2040-01-02T030503Z",
    ]);
    // There is no later name with a year of four digits.
    expect(runName("9999-12-31T235959Z-0001", new Date(moments[0] ?? ""))).toMatch(/^2040-01-02T030459Z-/);
  });

  test("can overlap: a delivery by one settles what the other saw under way", async () => {
    await using folder = await temporaryFolder();
    const address = "store/Token/deploy";
    let now = 0;
    const runs = diskRuns(folder.path, () => new Date(now++));
    const first = runs.open("1");
    await first.write(start);
    await first.write(intent(1, { address }));
    const second = runs.open("2");
    await second.write({ ...start, undelivered: [...undeliveredIn(runs.past())] });
    expect([...undeliveredIn(runs.past())]).toEqual([address]);
    await first.write(outcome(1));
    expect([...undeliveredIn(runs.past())]).toEqual([]);
    await Promise.all([first.close(), second.close()]);
  });

  test("are the newest ones up to a limit, and undelivered secrets of removed ones are carried on", async () => {
    await using folder = await temporaryFolder();
    const runs = diskRuns(folder.path, epoch, { runs: 2, bytes: 1e9 });
    const address = "store/Token/deploy";
    await finish(runs.open("1"), [start, intent(1, { address })]);
    const others = ["0-notes.txt", "0.jsonl"].map((name) => join(folder.path, ".setpoint/runs", name));
    writeFileSync(others[0] ?? "", "Keep this.");
    mkdirSync(others[1] ?? "");
    for (const name of ["2", "3", "4"])
      await finish(runs.open(name), [{ ...start, undelivered: [...undeliveredIn(runs.past())] }, outcome(7)]);
    expect(runs.past().map(({ name }) => name)).toEqual(["3", "4"]);
    expect(others.map((path) => existsSync(path))).toEqual([true, true]);
    expect([...undeliveredIn(runs.past())]).toEqual([address]);
    await finish(runs.open("5"), [
      { ...start, undelivered: [...undeliveredIn(runs.past())] },
      intent(1, { address }),
      outcome(1),
    ]);
    expect([...undeliveredIn(runs.past())]).toEqual([]);
  });

  test("are limited in total size, except for the newest", async () => {
    await using folder = await temporaryFolder();
    const runs = diskRuns(folder.path, epoch, { runs: 100, bytes: 300 });
    for (const name of ["1", "2", "3", "4"]) await finish(runs.open(name), [{ ...start, undelivered: [] }]);
    expect(runs.past().map(({ name }) => name)).toEqual(["2", "3", "4"]);
    const large = diskRuns(folder.path, epoch, { runs: 100, bytes: 1 });
    await finish(large.open("5"), [{ ...start, undelivered: [] }]);
    expect(large.past().map(({ name }) => name)).toEqual(["5"]);
  });

  test("can be removed by a concurrent run", async () => {
    await using folder = await temporaryFolder();
    const most = {
      bytes: 1e9,
      get runs() {
        rmSync(join(folder.path, ".setpoint/runs/1.jsonl"), { force: true });
        return 100;
      },
    };
    const runs = diskRuns(folder.path, epoch, most);
    await finish(runs.open("1"), [start]);
    await finish(runs.open("2"), [start]);
    await finish(runs.open("3"), [{ ...start, undelivered: [] }]);
    expect(runs.past().map(({ name }) => name)).toEqual(["2", "3"]);
  });

  test("can be removed while they are read, and are then listed again with the one that carries on the rest", async () => {
    await using folder = await temporaryFolder();
    const runs = diskRuns(folder.path, epoch);
    const address = "store/Token/deploy";
    await finish(runs.open("1"), [start, intent(1, { address })]);
    const reading = vi.spyOn(fs, "readFileSync").mockImplementationOnce((path, options) => {
      // Another run ends between listing the journals and reading the first one.
      writeFileSync(
        join(folder.path, ".setpoint/runs/2.jsonl"),
        `${JSON.stringify({ ...start, undelivered: [address] })}\n`,
      );
      rmSync(join(folder.path, ".setpoint/runs/1.jsonl"));
      reading.mockRestore();
      syncBuiltinESMExports();
      return readFileSync(path, options);
    });
    onTestFinished(() => reading.mockRestore());
    syncBuiltinESMExports();
    const past = runs.past();
    expect(past.map(({ name }) => name)).toEqual(["2"]);
    expect([...undeliveredIn(past)]).toEqual([address]);
  });

  test("do not take the result from a run that cannot read them at its end", async () => {
    await using folder = await temporaryFolder();
    const runs = diskRuns(folder.path, epoch, { runs: 1, bytes: 1e9 });
    await finish(runs.open("1"), [start]);
    const reading = vi.spyOn(fs, "readFileSync").mockImplementationOnce(() => {
      throw new Error("EIO: i/o error, read");
    });
    onTestFinished(() => {
      reading.mockRestore();
      syncBuiltinESMExports();
    });
    syncBuiltinESMExports();
    await finish(runs.open("2"), [start]);
    expect(reading).toHaveBeenCalled();
    expect(runs.past().map(({ name }) => name)).toEqual(["1", "2"]);
  });

  test("are removed one by one from the oldest, so that a run that is killed meanwhile leaves no stale word about a secret", async () => {
    await using folder = await temporaryFolder();
    const address = "store/Token/deploy";
    const runs = diskRuns(folder.path, epoch, { runs: 1, bytes: 1e9 });
    const unlimited = diskRuns(folder.path, epoch);
    await finish(unlimited.open("1"), [{ ...start, undelivered: [] }, intent(1, { address })]);
    await finish(unlimited.open("2"), [{ ...start, undelivered: [address] }, intent(1, { address }), outcome(1)]);
    const remove = fs.rmSync;
    let removed = 0;
    const removing = vi.spyOn(fs, "rmSync").mockImplementation((path, options) => {
      if (removed++ === 0) remove(path, options);
    });
    onTestFinished(() => {
      removing.mockRestore();
      syncBuiltinESMExports();
    });
    syncBuiltinESMExports();
    await finish(runs.open("3"), [{ ...start, undelivered: [] }]);
    expect([...undeliveredIn(runs.past())]).toEqual([]);
    expect(runs.past().map(({ name }) => name)).toEqual(["2", "3"]);
  });

  test("are kept if the newest one could not record what it carries on", async () => {
    await using folder = await temporaryFolder();
    const runs = diskRuns(folder.path, epoch, { runs: 1, bytes: 1e9 });
    await finish(runs.open("1"), [start, intent(1, { address: "store/Token/deploy" })]);
    await runs.open("2").close();
    expect(runs.past().map(({ name }) => name)).toEqual(["1", "2"]);
  });

  test("are kept while they alone say that a secret is undelivered, because another run had started before", async () => {
    await using folder = await temporaryFolder();
    const address = "store/Token/deploy";
    const runs = diskRuns(folder.path, epoch, { runs: 1, bytes: 1e9 });
    const first = runs.open("1");
    const second = runs.open("2");
    await second.write({ ...start, undelivered: [] });
    await first.write({ ...start, undelivered: [] });
    await first.write(intent(1, { address }));
    await first.close();
    await second.close();
    expect([...undeliveredIn(runs.past())]).toEqual([address]);
    await finish(runs.open("3"), [{ ...start, undelivered: [address] }]);
    expect(runs.past().map(({ name }) => name)).toEqual(["3"]);
    expect([...undeliveredIn(runs.past())]).toEqual([address]);
  });

  test("that are damaged name the line, and the readable entries count", async () => {
    await using folder = await temporaryFolder();
    const runs = diskRuns(folder.path, epoch);
    await finish(runs.open("1"), [start, intent(1, { address: "store/Token/deploy" }), outcome(1)]);
    const path = join(folder.path, ".setpoint/runs/1.jsonl");
    const [first, second, third] = readFileSync(path, "utf8").split("\n");
    writeFileSync(path, `${first}\n${second}\n${third?.slice(0, 9)}\n${JSON.stringify(outcome(2))}\n`);
    expect(runs.past()).toMatchObject([{ lines: { torn: false, damaged: [3] } }]);
    expect([...undeliveredIn(runs.past())]).toEqual(["store/Token/deploy"]);
  });

  test("that a later version wrote in another format count as damaged, since they might mention a secret", async () => {
    const lines = [
      { ...start, version: 1 },
      { ...outcome(1), version: 2 },
      { event: "end", outcomes: [] },
    ];
    expect(journalLines(lines.map((line) => `${JSON.stringify(line)}\n`).join("")).damaged).toEqual([2]);
  });

  test("that are too large to be read are named", async () => {
    await using folder = await temporaryFolder();
    const runs = diskRuns(folder.path, epoch);
    await finish(runs.open("1"), [start]);
    truncateSync(join(folder.path, ".setpoint/runs/1.jsonl"), 2 ** 30);
    expect(() => runs.past()).toThrow(/1\.jsonl is too large to be read/);
  });
});
