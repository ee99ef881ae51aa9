import fs, { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type JournalEntry, journalLines } from "../../../src/engine/journal/journal.ts";
import { type JournalFile, journalOn } from "../../../src/engine/journal/journal-file.ts";
import { diskRuns, openJournal } from "../../../src/engine/journal/runs.ts";
import { defaultWorld } from "../../../src/sandbox/default-world.ts";
import { temporaryFolder } from "../../support/commands.ts";
import { openDirectLab, problemsOf } from "../../support/lab.ts";
import { document } from "../../support/manifest.ts";
import { filesBelow } from "../../support/tokens.ts";
import { epoch, intent, outcome, start } from "./entries.ts";

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
  await using lab = await openDirectLab({
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
