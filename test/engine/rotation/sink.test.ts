import fs, { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { ProblemError } from "../../../src/core/problem.ts";
import { Secret } from "../../../src/core/secret.ts";
import type { Sink } from "../../../src/core/sink.ts";
import { holderOf } from "../../../src/engine/locks/holder.ts";
import { alone } from "../../../src/engine/locks/locks.ts";
import { sinkOpener } from "../../../src/engine/secrets/sink.ts";
import { temporaryFolder } from "../../support/commands.ts";
import { problemsOf } from "../../support/lab.ts";
import { filesBelow } from "../../support/tokens.ts";

describe("a sink", () => {
  const secret = new Secret("s3cret+/=");
  const { PATH, XDG_STATE_HOME } = process.env;
  const open = (folder: string, allowExec = true) =>
    sinkOpener({ folder, allowExec, env: { PATH, XDG_STATE_HOME, SETPOINT_WIKI_PASSWORD: "hidden" } });

  async function put(folder: string, sink: Sink, text = secret) {
    await (await open(folder)(sink)).put(text);
  }

  test("that is a file replaces the old content, and the half-written file of a killed run", async () => {
    await using folder = await temporaryFolder();
    await folder.write("token", "old");
    await folder.write(".token.setpoint-new", "half");
    await put(folder.path, { file: "token" });
    expect(filesBelow(folder.path)).toEqual({ token: "s3cret+/=" });
    expect(statSync(join(folder.path, "token")).mode & 0o777).toBe(0o600);
  });

  test("that is a file refuses a file system without permissions before a secret exists, and keeps the old content", async () => {
    await using folder = await temporaryFolder();
    await folder.write(".env", "A=old\n");
    const openFile = fs.openSync;
    const found = vi.spyOn(fs, "openSync").mockImplementation((path, flags) => {
      const file = openFile(path, flags);
      fs.fchmodSync(file, 0o777);
      return file;
    });
    onTestFinished(() => {
      found.mockRestore();
      syncBuiltinESMExports();
    });
    syncBuiltinESMExports();
    expect(await problemsOf(open(folder.path)({ dotenv: ".env", name: "A" }))).toMatchObject([
      { code: "SP1017", message: expect.stringContaining("others can read"), hint: expect.stringContaining("Nothing") },
    ]);
    expect(filesBelow(folder.path)).toEqual({ ".env": "A=old\n" });
  });

  test("that is a file works without a folder sync on a file system that has none", async () => {
    await using folder = await temporaryFolder();
    const sync = fs.fsyncSync;
    const refused = vi.spyOn(fs, "fsyncSync").mockImplementation((file) => {
      if (fs.fstatSync(file).isDirectory())
        throw Object.assign(new Error("EINVAL: invalid argument"), { code: "EINVAL" });
      sync(file);
    });
    onTestFinished(() => {
      refused.mockRestore();
      syncBuiltinESMExports();
    });
    syncBuiltinESMExports();
    await put(folder.path, { file: "token" });
    expect(filesBelow(folder.path)).toEqual({ token: "s3cret+/=" });
    // The new file and its folder, before a secret exists and once it is there.
    expect(refused).toHaveBeenCalledTimes(4);
  });

  test("that is a file is read back", async () => {
    await using folder = await temporaryFolder();
    const lost = vi.spyOn(fs, "renameSync").mockImplementationOnce(() => {});
    onTestFinished(() => {
      lost.mockRestore();
      syncBuiltinESMExports();
    });
    syncBuiltinESMExports();
    await folder.write("token", "old");
    expect(await problemsOf(put(folder.path, { file: "token" }))).toMatchObject([
      { code: "SP4005", message: expect.stringContaining("reading it back shows something else") },
    ]);
  });

  test.each([
    ["", "A=s3cret+/=\n"],
    ["B=1\nA=old\nC=3", "B=1\nA=s3cret+/=\nC=3"],
    ["AA=1\n# A=2", "AA=1\n# A=2\nA=s3cret+/=\n"],
    ["  export A = old # why\nA=again\n", "  export A=s3cret+/=\nA=s3cret+/=\n"],
  ])("that is a dotenv file turns %j into the right content", async (before, after) => {
    await using folder = await temporaryFolder();
    await folder.write(".env", before);
    await put(folder.path, { dotenv: ".env", name: "A" });
    expect(filesBelow(folder.path)).toEqual({ ".env": after });
  });

  test("that is a dotenv file stays unchanged if another value would change or the secret cannot be written", async () => {
    await using folder = await temporaryFolder();
    const before = "A='two\nB=lines'\nC=3\n";
    await folder.write(".env", before);
    const attempts = [
      put(folder.path, { dotenv: ".env", name: "A" }),
      put(folder.path, { dotenv: ".env", name: "D" }, new Secret("it's\n")),
    ];
    for (const attempt of attempts) expect(await problemsOf(attempt)).toMatchObject([{ code: "SP4005" }]);
    expect(filesBelow(folder.path)).toEqual({ ".env": before });
  });

  test("that is a dotenv file keeps the bytes of its other lines: one that is not UTF-8 is refused before a secret exists", async () => {
    await using folder = await temporaryFolder();
    const before = Buffer.from("B=p\xe4ss\nA=old\n", "latin1");
    writeFileSync(join(folder.path, ".env"), before);
    expect(await problemsOf(put(folder.path, { dotenv: ".env", name: "A" }))).toMatchObject([
      { code: "SP1017", message: expect.stringContaining("UTF-8") },
    ]);
    expect(readFileSync(join(folder.path, ".env")).equals(before)).toBe(true);
  });

  test("that is a file in a folder that cannot be synced is refused before a secret exists, and keeps the old content", async () => {
    await using folder = await temporaryFolder();
    await folder.write("token", "old");
    // A folder that can be written to and not read.
    const openFile = fs.openSync;
    const refused = vi.spyOn(fs, "openSync").mockImplementation((path, flags, mode) => {
      if (path === folder.path) throw Object.assign(new Error("EACCES: permission denied"), { code: "EACCES" });
      return openFile(path, flags, mode);
    });
    onTestFinished(() => {
      refused.mockRestore();
      syncBuiltinESMExports();
    });
    syncBuiltinESMExports();
    expect(await problemsOf(put(folder.path, { file: "token" }))).toMatchObject([{ code: "SP1017" }]);
    expect(filesBelow(folder.path)).toEqual({ token: "old" });
  });

  test("that is a dotenv file keeps what another run writes at the same moment", async () => {
    await using folder = await temporaryFolder();
    await folder.write(".env", "A=old\n");
    const sink = await open(folder.path)({ dotenv: ".env", name: "A" });
    let putting: Promise<void> | undefined;
    await alone(join(folder.path, ".env"), { XDG_STATE_HOME }, () => {
      const read = readFileSync(join(folder.path, ".env"), "utf8");
      putting = sink.put(secret);
      writeFileSync(join(folder.path, ".env"), `${read}B=new\n`);
    });
    await putting;
    expect(filesBelow(folder.path)).toEqual({ ".env": "A=s3cret+/=\nB=new\n" });
  });

  test("that is a dotenv file can be written after a run that was killed while it wrote", async () => {
    await using folder = await temporaryFolder();
    await using state = await temporaryFolder();
    const path = join(folder.path, "new/.env");
    const env = { XDG_STATE_HOME: state.path };
    const openSink = sinkOpener({ folder: folder.path, allowExec: false, env });
    await openSink({ dotenv: "new/.env", name: "A" });
    const locks = join(state.path, "setpoint/locks");
    let lock = "";
    await alone(path, env, () => {
      lock = join(locks, readdirSync(locks)[0] ?? "");
    });
    const claim = { run: "", command: "apply", workspace: folder.path, since: "2026-11-25T00:00:00.000Z" };
    // Linux and macOS never assign a process this number.
    writeFileSync(lock, JSON.stringify({ ...holderOf(claim), pid: 2 ** 30, started: "1" }));
    await (await openSink({ dotenv: "new/.env", name: "A" })).put(secret);
    expect(filesBelow(folder.path)).toEqual({ "new/.env": "A=s3cret+/=\n" });
    expect(readdirSync(locks)).toEqual([]);
  });

  test("that is a command gets the secret only on standard input, in the workspace's folder and without credentials", async () => {
    await using folder = await temporaryFolder();
    const script = 'cat > kept; { echo "$@"; env; } > seen';
    await put(folder.path, { command: ["sh", "-c", script, "sh", "an argument"], check: ["cat", "kept"] });
    const { kept, seen } = filesBelow(folder.path);
    expect(kept).toBe("s3cret+/=");
    expect(seen).toContain("an argument");
    expect(seen).not.toMatch(/s3cret|hidden/);
  });

  test("that is a command can report what it keeps by its SHA-256", async () => {
    await using folder = await temporaryFolder();
    const check = ["sh", "-c", "sha256sum kept | cut -d' ' -f1 | tr a-f A-F"];
    await put(folder.path, { command: ["sh", "-c", "cat > kept"], check });
  });

  test("that is a command which prints the secret and fails does not reveal it", async () => {
    await using folder = await temporaryFolder();
    const loud = { command: ["sh", "-c", "tee /dev/stderr; exit 1"], check: ["true"] };
    expect(JSON.stringify(await problemsOf(put(folder.path, loud)))).not.toContain("s3cret");
    const missing = { command: ["./not-there"], check: ["true"] };
    expect(await problemsOf(put(folder.path, missing))).toMatchObject([{ code: "SP4005" }]);
  });

  test("that is a command which the system cannot start is a failed delivery like any other", async () => {
    await using folder = await temporaryFolder();
    await folder.write("file", "");
    // Node reports such programs by throwing, and others by an event.
    for (const program of ["./file/inner", "nul\0", "x".repeat(300)]) {
      const problems = await problemsOf(put(folder.path, { command: [program], check: ["true"] }));
      expect(problems).toMatchObject([{ code: "SP4005", message: expect.stringContaining("did not start") }]);
    }
  });

  test("is not opened if it is a link, or a link leads out of the workspace or into git's files", async () => {
    await using folder = await temporaryFolder();
    await using outside = await temporaryFolder();
    symlinkSync(outside.path, join(folder.path, "out"));
    await folder.write(".git/config", "[core]\n");
    symlinkSync(".git", join(folder.path, "git"));
    writeFileSync(join(folder.path, "target"), "");
    symlinkSync("target", join(folder.path, "link"));
    for (const file of ["out/token", "out/deep/token", "link", "git/config", "git/hooks/pre-push"])
      await expect(open(folder.path)({ file })).rejects.toThrow(ProblemError);
    expect(filesBelow(outside.path)).toEqual({});
  });
});
