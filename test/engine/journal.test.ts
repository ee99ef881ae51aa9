import fs, {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import {
  type Journal,
  type JournalEntry,
  journalLines,
  runName,
  undeliveredIn,
} from "../../src/engine/journal/journal.ts";
import { type JournalFile, journalOn } from "../../src/engine/journal/journal-file.ts";
import { diskRuns, openJournal } from "../../src/engine/journal/runs.ts";
import { defaultWorld } from "../../src/sandbox/default-world.ts";
import { temporaryFolder } from "../support/commands.ts";
import { openLab, problemsOf } from "../support/lab.ts";
import { document } from "../support/manifest.ts";
import { filesBelow } from "../support/tokens.ts";

const epoch = () => new Date(0);
const start: JournalEntry = { event: "start", run: "run-1", calls: 1 };
const intent = (id: number, deliver?: { readonly address: string }): JournalEntry => ({
  event: "intent",
  call: {
    ...{ id, service: "store", operation: "put", args: {}, carries: [deliver?.address ?? "a"], phase: 0, lane: "a" },
    ...(deliver === undefined
      ? {}
      : { deliver: { from: "x", to: { file: "x" }, otherwise: { operation: "y", argument: "z", from: "x" } } }),
  },
});
const outcome = (id: number): JournalEntry => ({ event: "outcome", outcome: { id, result: "done", duration: 0 } });

/** A file in memory, on a disk with this many bytes, which records the operations on it. */
function fileWith(room = Number.POSITIVE_INFINITY, most = Number.POSITIVE_INFINITY) {
  let text = "";
  let synced = 0;
  const done: string[] = [];
  const file: JournalFile = {
    path: "a journal",
    async write(bytes) {
      const taken = Math.min(bytes.length, most, room - text.length);
      if (taken === 0) throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
      text += new TextDecoder().decode(bytes.subarray(0, taken));
      done.push("write");
      return taken;
    },
    async sync() {
      synced = text.length;
      done.push("sync");
    },
    async truncate(length) {
      text = text.slice(0, length);
    },
    close: async () => {},
  };
  return { file, done, text: () => text, onDisk: () => text.slice(0, synced) };
}

const events = (text: string) =>
  journalLines(text).entries.map((entry) => (entry instanceof Object && "event" in entry ? entry.event : undefined));

describe("a journal", () => {
  test("has one JSON line per entry, on disk once write resolves, readable only by its owner and never overwritten", async () => {
    await using folder = await temporaryFolder();
    const [folders, content] = [vi.spyOn(fs, "fsyncSync"), vi.spyOn(fs, "fdatasync")];
    onTestFinished(() => {
      vi.restoreAllMocks();
      syncBuiltinESMExports();
    });
    syncBuiltinESMExports();
    const journal = openJournal(folder.path, "run-1", epoch);
    // The names of two folders and of the file, each in the folder above it.
    expect(folders).toHaveBeenCalledTimes(3);
    await journal.write(start);
    expect(content).toHaveBeenCalledOnce();
    const write = fs.writeSync;
    const writing = vi.spyOn(fs, "writeSync").mockImplementationOnce((file) => write(file, '{"event":'));
    writing.mockImplementationOnce(() => {
      throw new Error("ENOSPC: no space left on device, write");
    });
    syncBuiltinESMExports();
    expect(await problemsOf(journal.write(intent(1)))).toMatchObject([{ code: "SP5004" }]);
    expect(readFileSync(journal.path, "utf8")).toBe(
      '{"at":"1970-01-01T00:00:00.000Z","event":"start","run":"run-1","calls":1}\n',
    );
    expect(statSync(journal.path).mode & 0o777).toBe(0o600);
    for (const name of [".setpoint", ".setpoint/runs"])
      expect(statSync(join(folder.path, name)).mode & 0o777).toBe(0o700);
    await journal.close();
    expect(() => openJournal(folder.path, "run-1", epoch)).toThrow("EEXIST");
  });

  test("is closed to others even if its folder was open to them", async () => {
    await using folder = await temporaryFolder();
    mkdirSync(join(folder.path, ".setpoint"));
    chmodSync(join(folder.path, ".setpoint"), 0o755);
    await openJournal(folder.path, "run-1", epoch).close();
    expect(statSync(join(folder.path, ".setpoint")).mode & 0o777).toBe(0o700);
  });

  test("is opened although another run creates its folder at the same moment", async () => {
    await using folder = await temporaryFolder();
    const make = fs.mkdirSync;
    const making = vi.spyOn(fs, "mkdirSync").mockImplementation((path, options) => {
      make(path, options);
      return make(path, options);
    });
    onTestFinished(() => {
      making.mockRestore();
      syncBuiltinESMExports();
    });
    syncBuiltinESMExports();
    await openJournal(folder.path, "run-1", epoch).close();
    expect(Object.keys(filesBelow(folder.path))).toEqual([".setpoint/runs/run-1.jsonl"]);
  });

  test("that cannot be written explains what it is for and what to do", async () => {
    await using folder = await temporaryFolder();
    const runs = diskRuns(join(folder.path, "gone"), epoch);
    expect(await problemsOf((async () => runs.open("run-1"))())).toEqual([
      {
        code: "SP1017",
        message: `${join(folder.path, "gone", ".setpoint")} cannot be used: there is no such file.`,
        hint: "An apply sends nothing without its journal, which it keeps there. Run it where the folder of setpoint.yaml is writable.",
      },
    ]);
  });

  test.each([".setpoint", ".setpoint/runs"])("is neither written nor read if %s is a link", async (name) => {
    await using folder = await temporaryFolder();
    await using elsewhere = await temporaryFolder();
    const forged = JSON.stringify({ ...start, undelivered: ["forged"] });
    await elsewhere.write("x.jsonl", forged);
    await elsewhere.write("runs/x.jsonl", forged);
    if (name !== ".setpoint") mkdirSync(join(folder.path, ".setpoint"));
    symlinkSync(elsewhere.path, join(folder.path, name));
    const runs = diskRuns(folder.path, epoch);
    expect(await problemsOf((async () => runs.open("run-1"))())).toMatchObject([{ code: "SP1017" }]);
    expect(runs.past()).toEqual([]);
    expect(Object.keys(filesBelow(elsewhere.path)).sort()).toEqual(["runs/x.jsonl", "x.jsonl"]);
  });

  test("needs one write and one sync for all entries that wait at the same moment, in order", async () => {
    const { file, done, text } = fileWith();
    const journal = journalOn(file, epoch);
    await Promise.all([intent(1), intent(2), intent(3)].map(journal.write));
    expect(done).toEqual(["write", "sync"]);
    // The fourth entry arrives while the disk is idle; the next two wait and are written together.
    const first = journal.write(intent(4));
    await Promise.resolve();
    await Promise.all([first, journal.write(intent(5)), journal.write(intent(6))]);
    expect(done).toEqual(["write", "sync", "write", "sync", "write", "sync"]);
    expect(text().match(/"id":\d/g)).toEqual([1, 2, 3, 4, 5, 6].map((id) => `"id":${id}`));
  });

  test("waits for the disk after an intent, but after an outcome only until the next intent", async () => {
    const { file, done, onDisk } = fileWith();
    const journal = journalOn(file, epoch);
    await journal.write(intent(1));
    await journal.write(outcome(1));
    expect(done).toEqual(["write", "sync", "write"]);
    expect(events(onDisk())).toEqual(["intent"]);
    await journal.write(intent(2));
    expect(events(onDisk())).toEqual(["intent", "outcome", "intent"]);
    await Promise.all([outcome(2), intent(3)].map(journal.write));
    expect(events(onDisk())).toEqual(["intent", "outcome", "intent", "outcome", "intent"]);
  });

  test("makes as many writes as the system needs", async () => {
    const { file, text } = fileWith(undefined, 7);
    await journalOn(file, epoch).write(start);
    expect(journalLines(text())).toMatchObject({ entries: [start], torn: false });
    let tries = 0;
    const write = async () => {
      if (++tries > 1) throw new Error("It was asked again.");
      return 0;
    };
    expect(await problemsOf(journalOn({ ...file, write }, epoch).write(start))).toMatchObject([
      { code: "SP5004", message: expect.stringContaining("the disk accepted only a part of it") },
    ]);
  });

  test("that cannot be written tells all who wait, ends with a whole line and accepts nothing more", async () => {
    const { file, text } = fileWith(1000);
    const journal = journalOn(file, epoch);
    await journal.write(start);
    const many = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((id) => problemsOf(journal.write(intent(id))));
    for (const problems of await Promise.all(many))
      expect(problems).toMatchObject([{ code: "SP5004", message: expect.stringContaining("ENOSPC") }]);
    expect(await problemsOf(journal.write(outcome(1)))).toMatchObject([{ code: "SP5004" }]);
    expect(journalLines(text())).toEqual({ entries: [expect.objectContaining(start)], torn: false, damaged: [] });
  });

  test.each(["sync", "write"] as const)("whose %s fails with EIO fails for good", async (step) => {
    const { file } = fileWith();
    const failing = {
      ...file,
      [step]: async () => {
        throw Object.assign(new Error("EIO: i/o error"), { code: "EIO" });
      },
    };
    const journal = journalOn(failing, epoch);
    expect(await problemsOf(journal.write(start))).toMatchObject([{ code: "SP5004" }]);
    expect(await problemsOf(journal.write(outcome(1)))).toMatchObject([{ code: "SP5004" }]);
  });
});

test("a journal contains no secret that a run created or used to sign in", async () => {
  await using folder = await temporaryFolder();
  const password = "canary-password";
  const world = defaultWorld();
  const accounts = world.accounts.map((account) =>
    account.username === "admin" ? { ...account, secret: password } : account,
  );
  await using lab = await openLab({
    world: { ...world, accounts },
    as: { username: "admin", secret: password },
    openJournal: () => openJournal(folder.path, "run-1", epoch),
  });
  const deliver = { file: "deploy" };
  const { outcomes } = await lab.apply(
    document("AccessToken", { description: "deploy", scope: "applied-permissions/admin", deliver }) +
      document("PersonalToken", { description: "deploy", validFor: 3, deliver: { file: "own" } }, { service: "wiki" }),
  );
  expect(outcomes).toMatchObject([{ result: "applied" }, { result: "applied" }]);
  const journal = readFileSync(join(folder.path, ".setpoint/runs/run-1.jsonl"), "utf8");
  for (const secret of [password, ...["deploy", "own"].map((name) => readFileSync(join(lab.folder, name), "utf8"))])
    for (const spelling of [secret, encodeURIComponent(secret), btoa(secret), btoa(`admin:${secret}`)])
      expect(journal).not.toContain(spelling);
});

describe("the lines of a journal", () => {
  const line = (entry: JournalEntry) => `${JSON.stringify(entry)}\n`;
  const whole = line(start) + line(intent(1));

  test.each([
    ["nothing", "", { entries: [], torn: false, damaged: [] }],
    ["whole lines", whole, { entries: [start, intent(1)], torn: false, damaged: [] }],
    ["a torn last line", `${whole}{"event":"outc`, { entries: [start, intent(1)], torn: true, damaged: [] }],
    ["zeros that a power failure left", `${whole}\0\0\0`, { entries: [start, intent(1)], torn: true, damaged: [] }],
    ["no last newline", whole.slice(0, -1), { entries: [start, intent(1)], torn: false, damaged: [] }],
    ["damage in the middle", `${line(start)}{"ev\n${line(intent(1))}`, { torn: false, damaged: [2] }],
    ["what is no entry", `${line(start)}42\n\n${line(intent(1))}`, { torn: false, damaged: [2, 3] }],
  ])("are read from %s", (_what, text, expected) => {
    expect(journalLines(text)).toMatchObject(expected);
  });
});

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
