import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Reading } from "../../../src/clients/http/memory.ts";
import { seal } from "../../../src/engine/readings/sealed.ts";
import { type Desk, openDesk, setpoint, workflows } from "../../support/commands.ts";
import { document } from "../../support/manifest.ts";

const repositories = ["telemetry", "website", "handbook"];
const manifests = repositories.map((repo) => workflows(repo, true)).join("");

/** A desk whose runs keep their readings in a folder of the desk. */
async function openKeeping() {
  const desk = await openDesk(manifests);
  const cache = join(desk.path, "cache");
  const kept = join(cache, "setpoint/readings");
  const env = { ...desk.env, XDG_CACHE_HOME: cache };
  return {
    desk,
    env,
    kept,
    /** The path of the only file. */
    file: () => join(kept, readdirSync(kept).join("|")),
    /** Plans as a separate process would, and returns the statuses of its requests. */
    async statuses(more: Readonly<Record<string, string>> = {}) {
      desk.sandbox.clear();
      const planned = await desk.open({ env: { ...env, ...more } }).plan();
      expect(planned).toMatchObject({ is: "planned", plan: { unknown: [] } });
      return statusesOf(desk);
    },
    [Symbol.asyncDispose]: () => desk[Symbol.asyncDispose](),
  };
}

function statusesOf({ sandbox }: Desk): readonly number[] {
  return sandbox.requests().map(({ status }) => status);
}

const [full, unchanged] = [repositories.map(() => 200), repositories.map(() => 304)];

describe("readings kept by their entity tags", () => {
  test("a second run of the same plan gets only 304s, which cost no quota, and one 200 per change", async () => {
    await using keeping = await openKeeping();
    expect(await keeping.statuses()).toEqual(full);
    expect(await keeping.statuses()).toEqual(unchanged);
    keeping.desk.sandbox.change((world) => {
      const website = world.hosting.repositories.find(({ name }) => name === "website");
      if (website !== undefined) website.actions.enabled = false;
    });
    expect((await keeping.statuses()).toSorted()).toEqual([200, 304, 304]);
    const planned = await keeping.desk.open({ env: keeping.env }).plan();
    expect(planned).toMatchObject({ plan: { changes: [{ key: "meridian-kites/website", action: "update" }] } });
    expect(await keeping.statuses()).toEqual(unchanged);
  });

  test("an apply sees the effect of its own calls, or that a service ignored them, since the service answers its reads", async () => {
    await using keeping = await openKeeping();
    await keeping.desk.write("manifests/all.yaml", repositories.map((repo) => workflows(repo, false)).join(""));
    const { desk, env } = keeping;
    const workspace = desk.open({ env });
    const planned = await workspace.plan();
    if (planned.is === "wrong") throw new Error("The manifests are wrong.");
    desk.sandbox.clear();
    const report = await workspace.apply(planned, { recheck: true });
    expect(report.outcomes.map(({ result }) => result)).toEqual(["applied", "applied", "applied"]);
    expect(statusesOf(desk).toSorted()).toEqual([...full, 204, 204, 204, ...unchanged].toSorted());
    // Someone undoes a call before it is verified: the answer is the one of the plan, and arrives as a 304.
    const before = desk.sandbox.state();
    await desk.write("manifests/all.yaml", workflows("telemetry", true));
    const again = desk.open({ env });
    const undone = await again.plan();
    if (undone.is === "wrong") throw new Error("The manifests are wrong.");
    const stubborn = desk.open({
      env,
      onRequest: ({ is, request: { effect } }) => {
        if (is === "ended" && effect === "write") desk.sandbox.change((world) => Object.assign(world, before));
      },
    });
    desk.sandbox.clear();
    expect((await stubborn.apply(undone)).outcomes).toMatchObject([{ result: "failed", problem: { code: "SP4001" } }]);
    expect(statusesOf(desk)).toEqual([204, 304]);
  });

  test("another account, address or wire cannot use them", async () => {
    await using keeping = await openKeeping();
    await keeping.statuses();
    const { desk } = keeping;
    desk.sandbox.change(({ accounts }) => {
      const [first] = accounts;
      if (first !== undefined) accounts.push({ ...first, username: "second", secret: "another" });
    });
    expect(await keeping.statuses({ SETPOINT_HOSTING_TOKEN: "another" })).toEqual(full);
    expect(await keeping.statuses({ SETPOINT_HOSTING_TOKEN: "another" })).toEqual(unchanged);
    expect(await keeping.statuses()).toEqual(unchanged);
  });

  test("files belong to the user alone, contain no secret, and tell nothing to anyone who lacks it", async () => {
    await using keeping = await openKeeping();
    await keeping.statuses();
    expect(statSync(keeping.kept).mode & 0o777).toBe(0o700);
    expect(statSync(keeping.file()).mode & 0o777).toBe(0o600);
    const bytes = readFileSync(keeping.file()).toString("latin1");
    for (const word of ["secret", "telemetry", "enabled"]) expect(keeping.file() + bytes).not.toContain(word);
  });

  test("a run without credentials keeps nothing, since everyone would have the key", async () => {
    await using keeping = await openKeeping();
    const release = document("LatestRelease", { repo: "meridian-kites/website", tag: "v2.3.0" });
    await keeping.desk.write("manifests/all.yaml", release);
    const without = { SETPOINT_HOSTING_USERNAME: "", SETPOINT_HOSTING_TOKEN: "", HOME: keeping.desk.path };
    expect(await keeping.statuses(without)).toEqual([200]);
    expect(existsSync(keeping.kept)).toBe(false);
  });

  test.each<readonly [string, (file: string) => void]>([
    ["cut", (file) => writeFileSync(file, readFileSync(file).subarray(0, -1))],
    ["empty", (file) => writeFileSync(file, "")],
    ["changed in one bit", (file) => writeFileSync(file, flipped(readFileSync(file)))],
    ["another account's", (file) => writeFileSync(file, seal("[]", "theirs"))],
    ["somebody's who may write to it", (file) => chmodSync(file, 0o666)],
    ["a link", (file) => linked(file)],
    ["gone", (file) => rmSync(file)],
  ])("a file that is %s is not trusted and is replaced", async (_what, spoil) => {
    await using keeping = await openKeeping();
    await keeping.statuses();
    spoil(keeping.file());
    expect(await keeping.statuses()).toEqual(full);
    expect(await keeping.statuses()).toEqual(unchanged);
    expect(statSync(keeping.file()).mode & 0o777).toBe(0o600);
  });

  test("a kept reading that can no longer be decoded is requested in full, once", async () => {
    await using desk = await openDesk(manifests);
    const store = new Map<string, Reading>();
    const plan = () => desk.open({ readings: { of: () => store, save: () => {} } }).plan();
    await plan();
    for (const [path, kept] of store) store.set(path, { ...kept, body: path.includes("website") ? "no JSON" : "{}" });
    desk.sandbox.clear();
    expect(await plan()).toMatchObject({ plan: { unknown: [], inSync: { length: repositories.length } } });
    expect(statusesOf(desk).toSorted()).toEqual([...full, ...unchanged]);
    desk.sandbox.clear();
    await plan();
    expect(statusesOf(desk)).toEqual(unchanged);
  });

  test("nothing is kept in a folder that others can write to or with SETPOINT_CACHE=off; another place can be given, even an unreadable one", async () => {
    await using keeping = await openKeeping();
    await keeping.statuses();
    chmodSync(keeping.kept, 0o777);
    rmSync(keeping.file());
    expect(await keeping.statuses()).toEqual(full);
    expect(readdirSync(keeping.kept)).toEqual([]);
    chmodSync(keeping.kept, 0o700);
    expect(await keeping.statuses({ SETPOINT_CACHE: "off" })).toEqual(full);
    expect(readdirSync(keeping.kept)).toEqual([]);
    expect(await keeping.statuses({ SETPOINT_CACHE: join(keeping.desk.path, "elsewhere") })).toEqual(full);
    expect(readdirSync(join(keeping.desk.path, "elsewhere"))).toHaveLength(1);
    symlinkSync("loop", join(keeping.desk.path, "loop"));
    expect(await keeping.statuses({ SETPOINT_CACHE: join(keeping.desk.path, "loop") })).toEqual(full);
  });

  test("--no-cache reads in full and keeps nothing", async () => {
    await using keeping = await openKeeping();
    const { desk, env, kept } = keeping;
    await keeping.statuses();
    const before = readFileSync(keeping.file());
    desk.sandbox.clear();
    const { code } = await setpoint(["plan", "--no-cache"], { cwd: desk.path, env });
    expect({ code, statuses: statusesOf(desk) }).toEqual({ code: 0, statuses: full });
    expect(readdirSync(kept)).toHaveLength(1);
    expect(readFileSync(keeping.file()).equals(before)).toBe(true);
  });
});

/** Flips a bit of the seal itself, so that everything else is right. */
function flipped(bytes: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, -1), Buffer.of((bytes.at(-1) ?? 0) ^ 1)]);
}

/** Replaces a file by a link to the same content. */
function linked(file: string): void {
  const elsewhere = join(file, "../../moved");
  writeFileSync(elsewhere, readFileSync(file), { mode: 0o600 });
  rmSync(file);
  symlinkSync(elsewhere, file);
}
