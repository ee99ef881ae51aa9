import fs, { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { ProblemError } from "../../src/core/problem.ts";
import { Secret } from "../../src/core/secret.ts";
import type { Sink } from "../../src/core/sink.ts";
import { undeliveredAfter, undeliveredIn } from "../../src/engine/journal/journal.ts";
import { diskRuns } from "../../src/engine/journal/runs.ts";
import { holderOf } from "../../src/engine/locks/holder.ts";
import { alone } from "../../src/engine/locks/locks.ts";
import { sinkOpener } from "../../src/engine/secrets/sink.ts";
import { defaultWorld } from "../../src/sandbox/default-world.ts";
import { startSandbox } from "../../src/sandbox/sandbox.ts";
import { environmentFor } from "../../src/sandbox/server/environment.ts";
import type { OpenOptions } from "../../src/setpoint.ts";
import { openDesk, temporaryFolder, workspaceText } from "../support/commands.ts";
import { type Lab, openLab, problemsOf } from "../support/lab.ts";
import { document } from "../support/manifest.ts";
import { expectOneHeld, filesBelow, liveTokens } from "../support/tokens.ts";

/** A kill in the middle of an apply, which no code catches. */
class Killed extends Error {}

/** Decides where a run is killed: at its n-th action on the world. */
function killer() {
  let left = Number.POSITIVE_INFINITY;
  return {
    at(step: number) {
      left = step;
    },
    onStep() {
      if (left-- === 0) throw new Killed();
    },
  };
}

const old = {
  token_id: "old",
  username: "admin",
  scope: "applied-permissions/user",
  description: "deploy",
  issued: "2026-01-01T00:00:00.000Z",
  expires_in: 0,
  refreshable: false,
};

/** A world without the token, or with one that is not as declared. */
function worldWith(state: "nothing" | "an old token") {
  const world = defaultWorld();
  return { ...world, artifacts: { ...world.artifacts, tokens: state === "nothing" ? [] : [old] } };
}

const manifest = (deliver: Sink) =>
  document("AccessToken", { description: "deploy", scope: "applied-permissions/admin", deliver });
const toFile = manifest({ file: "deploy" });
const held = (lab: Lab) => readFileSync(join(lab.folder, "deploy"), "utf8");

/** A world in which a token of the tracker or the wiki has another lifetime than declared, or does not exist. */
function pluginWorld(role: "tracker" | "wiki", state: "nothing" | "an old token", givesId: boolean) {
  const world = defaultWorld();
  const day = 86_400_000;
  const stale = { id: 5, user: "admin", description: "deploy", created: Date.now() - day, lastAccessed: 0, scope: 0 };
  const tokens = [{ ...stale, validUntil: Date.now() + 300 * day, secret: "stale" }];
  const tokenPlugin = { ...world[role].tokenPlugin, givesId, tokens: state === "nothing" ? [] : tokens };
  return { ...world, [role]: { ...world[role], tokenPlugin } };
}

const personal = (service: string, deliver: Sink) =>
  document("PersonalToken", { description: "deploy", validFor: 3, deliver }, { service });

/** The same rotation on each service; the tracker's plugin does not return the id of a new token. */
const services = {
  artifacts: { world: worldWith, manifest: toFile },
  tracker: {
    world: (state: "nothing" | "an old token") => pluginWorld("tracker", state, false),
    manifest: personal("tracker", { file: "deploy" }),
  },
  wiki: {
    world: (state: "nothing" | "an old token") => pluginWorld("wiki", state, true),
    manifest: personal("wiki", { file: "deploy" }),
  },
} as const;
const live = (lab: Lab, role: keyof typeof services = "artifacts") => liveTokens(lab.sandbox.state(), role, "deploy");

test("a clock far ahead, to which every new token is due, is named among the causes", async () => {
  await using lab = await openLab({ world: worldWith("nothing") });
  const declared = { description: "deploy", expiresIn: "90d", rotateBefore: "30d", deliver: { file: "deploy" } };
  const ahead = new Date(Date.now() + 80 * 86_400_000);
  const { outcomes } = await lab.apply({ now: document("AccessToken", declared), at: ahead });
  expect(outcomes).toMatchObject([{ problem: { code: "SP4001", hint: expect.stringContaining("clock is wrong") } }]);
});

describe("a rotation that is killed", () => {
  const roles = ["artifacts", "tracker", "wiki"] as const;
  test.each(roles.flatMap((role) => [[role, "nothing"] as const, [role, "an old token"] as const]))(
    "on %s between any two steps, from %s, is completed by the next run with exactly one token, which the sink holds",
    async (role, state) => {
      const { world, manifest: declared } = services[role];
      let step = 0;
      for (let isKilled = true; isKilled; step++) {
        const { at, onStep } = killer();
        await using lab = await openLab({ world: world(state), onStep });
        at(step);
        isKilled = await lab.apply(declared).then(
          () => false,
          (error) => error instanceof Killed,
        );
        const holds = existsSync(join(lab.folder, "deploy")) ? held(lab) : undefined;
        if (holds !== undefined) expect(live(lab, role).some(({ texts }) => texts.includes(holds))).toBe(true);
        if (state === "an old token" && holds === undefined)
          expect(live(lab, role).map(({ description }) => description)).toContain("deploy");
        at(Number.POSITIVE_INFINITY);
        const report = await lab.apply(declared);
        expect(report.outcomes.filter(({ result }) => result !== "applied")).toEqual([]);
        expectOneHeld(lab.sandbox.state(), role, "deploy", held(lab));
        expect((await lab.plan(declared)).changes).toEqual([]);
      }
      // Journal, call and delivery each have their steps, and a revocation adds some.
      expect(step).toBe(state === "nothing" ? 10 : 14);
    },
  );

  test("twice, each time after the service created a token, still ends with one", async () => {
    const { at, onStep } = killer();
    await using lab = await openLab({ world: worldWith("an old token"), onStep });
    for (const _time of [1, 2]) {
      at(4);
      await expect(lab.apply(toFile)).rejects.toThrow(Killed);
    }
    expect(live(lab).map(({ description }) => description)).toEqual(["deploy", "deploy (2)", "deploy (3)"]);
    at(Number.POSITIVE_INFINITY);
    await lab.apply(toFile);
    expect(live(lab).map(({ description }) => description)).toEqual(["deploy (4)"]);
    expectOneHeld(lab.sandbox.state(), "artifacts", "deploy", held(lab));
  });
});

describe("a delivery that fails", () => {
  const failing = manifest({ command: ["sh", "-c", "cat >/dev/null; exit 3"], check: ["cat", "kept"] });
  const forgetting = manifest({ command: ["sh", "-c", "cat >/dev/null"], check: ["echo", "something else"] });

  test.each([
    ["because the command fails", failing, "ended with 3"],
    ["because the check tells another secret", forgetting, "neither the secret nor its SHA-256"],
  ])("%s, revokes the new token and leaves the old one alone", async (_why, wrong, words) => {
    await using lab = await openLab({ world: worldWith("an old token"), allowExec: true });
    const report = await lab.apply(wrong);
    expect(report.outcomes).toMatchObject([
      { result: "failed", problem: { code: "SP4005", message: expect.stringContaining(words) } },
    ]);
    expect(report.outcomes[0]?.problem?.message).toContain("It was revoked");
    expect(report.calls.map(({ result }) => result)).toEqual(["failed", "skipped"]);
    expect(lab.journal.map(({ event }) => event)).toContain("take back");
    expect(lab.sandbox.state().artifacts.tokens).toEqual([old]);
    await lab.apply(toFile);
    expectOneHeld(lab.sandbox.state(), "artifacts", "deploy", held(lab));
  });

  test("leaves the new token to the next run if the service did not return its id", async () => {
    await using lab = await openLab({ world: pluginWorld("tracker", "an old token", false), allowExec: true });
    const wrong = personal("tracker", { command: ["false"], check: ["true"] });
    const [outcome] = (await lab.apply(wrong)).outcomes;
    expect(outcome).toMatchObject({ result: "failed", problem: { code: "SP4005" } });
    expect(outcome?.problem?.message).toContain("It still exists");
    expect(live(lab, "tracker").map(({ description }) => description)).toEqual(["deploy", "deploy (2)"]);
    await lab.apply(services.tracker.manifest);
    expectOneHeld(lab.sandbox.state(), "tracker", "deploy", held(lab));
  });

  test("is detected before anything is sent if the file cannot be written", async () => {
    await using lab = await openLab({ world: worldWith("nothing") });
    mkdirSync(join(lab.folder, "deploy"));
    const report = await lab.apply(toFile);
    expect(report.outcomes).toMatchObject([{ result: "failed", problem: { code: "SP1017" } }]);
    expect(lab.asked()).toEqual(["listTokens"]);
  });

  test("is detected before anything is sent if commands are not allowed", async () => {
    await using lab = await openLab({ world: worldWith("nothing") });
    expect((await lab.apply(failing)).outcomes).toMatchObject([{ result: "failed", problem: { code: "SP2002" } }]);
    expect(lab.asked()).toEqual(["listTokens"]);
  });
});

describe("which secrets are undelivered after a run", () => {
  const intent = { event: "intent", call: { id: 1, carries: ["a"], deliver: {} } };
  const outcome = (result: string, code?: string) => ({
    event: "outcome",
    outcome: { id: 1, result, ...(code === undefined ? {} : { problem: { code } }) },
  });

  test.each([
    ["killed before an outcome", [intent], ["a"]],
    ["delivered", [intent, outcome("done")], []],
    ["not permitted, so that there is no new secret", [intent, outcome("failed", "SP3004")], []],
    ["refused, perhaps because a copy of the request came first", [intent, outcome("failed", "SP3007")], ["a"]],
    ["answered with nonsense", [intent, outcome("failed", "SP3103")], ["a"]],
    ["not delivered", [intent, outcome("failed", "SP4005")], ["a"]],
    ["not requested after all", [intent, outcome("skipped", "SP5003")], []],
    ["with a lost answer", [intent, outcome("lost", "SP3105")], ["a"]],
    ["a call without a secret", [{ event: "intent", call: { id: 1, carries: ["a"] } }], []],
  ])("%s", (_name, entries, expected) => {
    expect([...undeliveredAfter(new Set(), entries)]).toEqual(expected);
  });

  test("an undelivered one stays so after a refused attempt, until one is delivered", () => {
    const after = undeliveredAfter(new Set(["a", "b"]), [intent, outcome("failed", "SP3007")]);
    expect([...after].sort()).toEqual(["a", "b"]);
    expect([...undeliveredAfter(after, [undefined, intent, outcome("done")])]).toEqual(["b"]);
  });

  test("an undelivered one stays so after a refused attempt if only the start of its run still says so", () => {
    const start = { event: "start", undelivered: ["a"] };
    expect([...undeliveredAfter(new Set(), [start, intent, outcome("failed", "SP3004")])]).toEqual(["a"]);
    expect([...undeliveredAfter(new Set(), [start, intent, outcome("done")])]).toEqual([]);
  });
});

test("a secret that one environment left undelivered is its own: another one in the same folder neither renews nor settles it", async () => {
  const token = document("PersonalToken", { description: "robot", deliver: { file: "robot" } }, { service: "wiki" });
  await using desk = await openDesk(token);
  const second = await startSandbox();
  onTestFinished(() => second.close());
  const refusing = () => async () => ({
    put: () => Promise.reject(new ProblemError({ code: "SP4005", message: "The disk is full." })),
  });
  const applied = async (options: OpenOptions = {}) => {
    const workspace = desk.open(options);
    const planned = await workspace.plan();
    if (planned.is === "wrong") throw new ProblemError(...planned.problems);
    const { outcomes } = await workspace.apply(planned);
    return outcomes.map(({ result }) => result);
  };
  const inSecond = { env: { ...desk.env, ...environmentFor(second.url) } };
  const use = (url: string) => desk.write("setpoint.yaml", workspaceText(url));
  await use(second.url);
  expect(await applied(inSecond)).toEqual(["applied"]);
  await use(desk.sandbox.url);
  expect(await applied({ sinks: refusing })).toEqual(["failed"]);
  await use(second.url);
  expect(await applied(inSecond)).toEqual([]);
  second.change((world) => {
    world.wiki.tokenPlugin.tokens = [];
  });
  expect(await applied(inSecond)).toEqual(["applied"]);

  expect([...undeliveredIn(diskRuns(desk.path, () => new Date()).past())]).toEqual([
    `${desk.sandbox.url}/wiki wiki/PersonalToken/robot`,
  ]);
  await use(desk.sandbox.url);
  expect(await applied()).toEqual(["applied"]);
  expectOneHeld(desk.sandbox.state(), "wiki", "robot", readFileSync(join(desk.path, "robot"), "utf8"));
});

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
