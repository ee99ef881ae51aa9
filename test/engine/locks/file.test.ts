import { spawn } from "node:child_process";
import { once } from "node:events";
import fs, { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type Holder, holderOf } from "../../../src/engine/locks/holder.ts";
import { busyAt, takeLock } from "../../../src/engine/locks/lock-file.ts";
import { alone } from "../../../src/engine/locks/locks.ts";
import { temporaryFolder } from "../../support/commands.ts";
import { claim, openState } from "./locks.ts";

/** A holder whose process has ended. */
function dead(changes: Partial<Holder> = {}): Holder {
  // Linux and macOS never assign a process this number.
  return { ...holderOf(claim), pid: 2 ** 30, started: "1", ...changes };
}

describe("a lock file", () => {
  const mine = () => holderOf({ ...claim, run: "mine" });
  const put = (path: string, holder: unknown) => writeFileSync(path, JSON.stringify(holder));
  const runAt = (path: string) => JSON.parse(readFileSync(path, "utf8")).run;

  test.each([
    ["whose process has ended", {}],
    ["whose process number is another process's now", { pid: process.pid, started: "before" }],
    ["from before the machine was started again", { ...holderOf(claim), boot: "another" }],
  ])("of a run %s is taken over", async (_why, changes) => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "lock");
    put(path, dead(changes));
    expect(takeLock(path, mine())).toBeUndefined();
    expect(runAt(path)).toBe("mine");
    expect(readdirSync(folder.path)).toEqual(["lock"]);
  });

  test.each([
    ["nothing", ""],
    ["zeros", "\0".repeat(300)],
  ])("that a power failure left with %s in it counts as nobody's and is taken over", async (_what, content) => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "lock");
    writeFileSync(path, content);
    expect(busyAt(path)).toBeUndefined();
    expect(takeLock(path, mine())).toBeUndefined();
    expect(runAt(path)).toBe("mine");
    expect(readdirSync(folder.path)).toEqual(["lock"]);
  });

  test("of a run of another user, whose process cannot be signalled, is left alone", async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "lock");
    const holder = holderOf(claim);
    put(path, holder);
    const asking = vi.spyOn(process, "kill").mockImplementationOnce(() => {
      throw Object.assign(new Error("kill EPERM"), { code: "EPERM" });
    });
    onTestFinished(() => asking.mockRestore());
    expect(takeLock(path, mine())).toEqual({ path, holder });
    expect(asking).toHaveBeenCalledWith(process.pid, 0);
  });

  test("of a later version with more fields still names its run", async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "lock");
    const holder = holderOf(claim);
    put(path, { ...holder, lease: "refs/setpoint/lease" });
    expect(takeLock(path, mine())).toEqual({ path, holder });
  });

  test.each([
    ["whose process is there", holderOf(claim)],
    ["of another machine, or of another container", dead({ machine: "elsewhere" })],
    ["whose start the system did not report", { ...holderOf(claim), boot: "", started: "" }],
  ])("of a run %s is left alone", async (_why, holder) => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "lock");
    put(path, holder);
    expect(takeLock(path, mine())).toEqual({ path, holder });
    expect(readdirSync(folder.path)).toEqual(["lock"]);
  });

  test.runIf(process.platform === "linux")(
    "of a run that has ended is taken over, even if its parent has not asked for its result",
    async () => {
      await using folder = await temporaryFolder();
      const path = join(folder.path, "lock");
      const parent = spawn("sh", ["-c", "exec 3<&0; cat <&3 & echo $!; exec cat"]);
      onTestFinished(() => void parent.kill());
      const [said] = await once(parent.stdout, "data");
      // The shell would still ask for it.
      const isReplaced = () => readFileSync(`/proc/${parent.pid}/comm`, "utf8") === "cat\n";
      while (!isReplaced()) await new Promise(setImmediate);
      const status = () => readFileSync(`/proc/${Number(said)}/stat`, "utf8");
      const started = status().split(") ")[1]?.split(" ")[19] ?? "";
      const holder = { ...holderOf(claim), pid: Number(said), started };
      put(path, holder);
      expect(takeLock(path, mine())).toEqual({ path, holder });
      process.kill(holder.pid, "SIGKILL");
      while (!status().includes(") Z ")) await new Promise(setImmediate);
      expect(takeLock(path, mine())).toBeUndefined();
    },
  );

  test("from a machine without an id is left alone by a machine that was started at another time", async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "lock");
    let boot = "one";
    const read = readFileSync;
    const reading = vi.spyOn(fs, "readFileSync").mockImplementation((file, options) => {
      if (file === "/etc/machine-id") throw new Error("ENOENT");
      return file === "/proc/sys/kernel/random/boot_id" ? boot : read(file, options);
    });
    onTestFinished(() => {
      reading.mockRestore();
      syncBuiltinESMExports();
    });
    syncBuiltinESMExports();
    const holder = dead();
    put(path, holder);
    boot = "another";
    expect(takeLock(path, mine())).toEqual({ path, holder });
    boot = "one";
    expect(takeLock(path, mine())).toBeUndefined();
  });

  test("is not taken over while another run does so, unless that run has died", async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "lock");
    const gone = dead();
    put(path, gone);
    const taking = holderOf({ ...claim, run: "taking" });
    put(`${path}.${gone.id}`, taking);
    expect(takeLock(path, mine())).toEqual({ path: `${path}.${gone.id}`, holder: taking });
    expect(runAt(path)).toBe("r1");
    put(`${path}.${gone.id}`, dead());
    expect(takeLock(path, mine())).toBeUndefined();
    expect(runAt(path)).toBe("mine");
    expect(readdirSync(folder.path)).toEqual(["lock"]);
  });

  test("of a run that has ended is left alone once another run has taken it over", async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "lock");
    put(path, dead());
    const faster = holderOf({ ...claim, run: "faster" });
    const asking = vi.spyOn(process, "kill").mockImplementationOnce(() => {
      put(path, faster);
      throw Object.assign(new Error("kill ESRCH"), { code: "ESRCH" });
    });
    onTestFinished(() => asking.mockRestore());
    expect(takeLock(path, mine())).toEqual({ path, holder: faster });
    expect(readdirSync(folder.path)).toEqual(["lock"]);
  });

  test.each([
    ["a link", (path: string) => symlinkSync("target", path)],
    ["a folder", (path: string) => mkdirSync(path)],
    ["something else", (path: string) => put(path, { ...dead(), pid: "1" })],
    ["half a file", (path: string) => writeFileSync(path, "{")],
  ])("that is %s belongs to nobody and is left alone", async (_what, make) => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "lock");
    put(join(folder.path, "target"), dead());
    make(path);
    expect(takeLock(path, mine())).toEqual({ path, holder: undefined });
    expect(busyAt(path)).toEqual({ path, holder: undefined });
  });
});

test("a lock that cannot be taken over because the disk is full leaves no lock of its own", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "lock");
  const before = JSON.stringify(dead());
  writeFileSync(path, before);
  const renaming = vi.spyOn(fs, "renameSync").mockImplementation(() => {
    throw new Error("ENOSPC: no space left on device, rename");
  });
  onTestFinished(() => {
    renaming.mockRestore();
    syncBuiltinESMExports();
  });
  syncBuiltinESMExports();
  expect(() => takeLock(path, holderOf(claim))).toThrow("ENOSPC");
  expect(readdirSync(folder.path)).toEqual(["lock"]);
  expect(readFileSync(path, "utf8")).toBe(before);
});

describe("a step that is taken alone with a file", () => {
  test("waits for a run that has the file, by whatever way, never takes the lock from it, and says in the end what to do", async () => {
    await using state = await openState();
    const path = join(state.folder, "../.env");
    const env = { XDG_STATE_HOME: dirname(dirname(state.folder)) };
    let lock = "";
    await alone(path, env, () => {
      lock = join(state.folder, state.files()[0] ?? "");
    });
    expect(state.files()).toEqual([]);
    let waited = 0;
    const wait = async (time: number) => {
      waited += time;
    };
    const live = JSON.stringify(holderOf(claim));
    writeFileSync(lock, live);
    let isTaken = false;
    const step = () => {
      isTaken = true;
    };
    const link = join(state.folder, "link");
    symlinkSync(dirname(path), link);
    for (const way of [path, join(link, ".env")]) {
      waited = 0;
      await expect(alone(way, env, step, { now: () => 0, wait })).rejects.toThrow(lock);
      expect(waited).toBe(10_000);
    }
    expect([isTaken, readFileSync(lock, "utf8")]).toEqual([false, live]);
  });

  test("is over when it fails", async () => {
    await using state = await openState();
    const failing = () => {
      throw new Error("full");
    };
    const env = { XDG_STATE_HOME: dirname(dirname(state.folder)) };
    await expect(alone(join(state.folder, "../.env"), env, failing)).rejects.toThrow("full");
    expect(state.files()).toEqual([]);
  });
});
