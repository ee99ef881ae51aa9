import fs, { chmodSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import os from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Problem } from "../../../src/core/problem.ts";
import { diskLocks, type Waiting } from "../../../src/engine/locks/locks.ts";
import { openDirectLab, problemsOf } from "../../support/lab.ts";
import { document } from "../../support/manifest.ts";
import { atOnce, claim, openState, service } from "./locks.ts";

describe("a lock of a service", () => {
  test("is held by one run at a time, whatever the workspace calls the service; a refusal says by whom, since when and what to do", async () => {
    await using state = await openState();
    const taken = await state.locks.take([service("review")], claim, atOnce);
    const other = service("other-name", "HTTPS://review.example:443/base");
    const [problem, ...more] = await problemsOf(state.locks.take([other], { ...claim, run: "r2" }, atOnce));
    expect(more).toEqual([]);
    expect(problem).toMatchObject({ code: "SP5005", service: "other-name", hint: expect.stringContaining("--wait") });
    const who = `${os.userInfo().username} on ${os.hostname()} since`;
    for (const word of [String(process.pid), who, "r1", "2026-11-22 08:00 UTC", "/srv/tools"])
      expect(problem?.message).toContain(word);
    await (await state.locks.take([service("review", "https://review.example/another")], claim, atOnce)).release();
    taken.release();
    const next = await state.locks.take([other], claim, atOnce);
    // Whoever has lost a lock, for example because someone deleted it, releases nobody else's.
    taken.release();
    expect(state.files()).toHaveLength(1);
    next.release();
    expect(state.files()).toEqual([]);
  });

  test("is taken before or after another one, whatever the order of the services, so that no two runs wait for each other", async () => {
    await using state = await openState();
    const both = [service("a"), service("b")];
    const held = await state.locks.take(both.slice(1), claim, atOnce);
    let now = 0;
    const files: number[] = [];
    const clock = { ...atOnce.clock, now: () => now++ };
    const waiting = { ...atOnce, wait: 9, clock, onWaiting: () => void files.push(state.files().length) };
    for (const services of [both, both.toReversed()]) await problemsOf(state.locks.take(services, claim, waiting));
    held.release();
    expect(files).toHaveLength(2);
    expect(new Set(files).size).toBe(1);
  });

  test("is taken together with those of all other services or not at all, and each one that is held is named", async () => {
    await using state = await openState();
    const held = await state.locks.take([service("b"), service("c")], claim, atOnce);
    const problems = await problemsOf(
      state.locks.take(
        ["a", "b", "c", "d"].map((name) => service(name)),
        claim,
        atOnce,
      ),
    );
    expect(problems).toMatchObject([{ message: expect.stringMatching(/^Another run is writing to b, c: /) }]);
    held.release();
    expect(state.files()).toEqual([]);
  });

  test("that cannot be understood is left alone, and the refusal names its file and says what to do", async () => {
    await using state = await openState();
    const held = await state.locks.take([service("review")], claim, atOnce);
    const [file = ""] = state.files();
    await held.release();
    writeFileSync(join(state.folder, file), "{");
    expect(await problemsOf(state.locks.take([service("review")], claim, atOnce))).toEqual([
      {
        code: "SP5005",
        service: "review",
        message: `The lock of https://review.example/base belongs to another user, is damaged, or was written by a newer setpoint: ${join(state.folder, file)}.`,
        hint: "Check whether an apply is running. If none is, delete the file.",
      },
    ]);
    expect(state.files()).toEqual([file]);
    expect(state.locks.lastRuns([service("review")]).size).toBe(0);
  });

  test("is in a folder that only the user can open", async () => {
    await using state = await openState();
    const taken = await state.locks.take([service("review")], claim, atOnce);
    expect(statSync(state.folder).mode & 0o777).toBe(0o700);
    for (const file of state.files()) expect(statSync(join(state.folder, file)).mode & 0o777).toBe(0o600);
    taken.release();
    chmodSync(state.folder, 0o777);
    expect(await problemsOf(state.locks.take([service("review")], claim, atOnce))).toMatchObject([{ code: "SP1017" }]);
  });

  test.each(["", "home"])(
    "is in the home that the system knows if HOME is %j, which would depend on the current folder of a run",
    async (home) => {
      await using state = await openState();
      const user = { ...os.userInfo(), homedir: dirname(dirname(state.folder)) };
      const spies = [vi.spyOn(os, "homedir").mockReturnValue(home), vi.spyOn(os, "userInfo").mockReturnValue(user)];
      onTestFinished(() => {
        for (const spy of spies) spy.mockRestore();
        syncBuiltinESMExports();
      });
      syncBuiltinESMExports();
      const taken = await diskLocks({ HOME: home }).take([service("review")], claim, atOnce);
      expect(readdirSync(join(user.homedir, ".local/state/setpoint/locks"))).toContainEqual(
        expect.stringMatching(/^review-.*[.]lock$/),
      );
      taken.release();
    },
  );

  test("says what to do if a file system has no hard links, and leaves no file", async () => {
    await using state = await openState();
    const refused = vi.spyOn(fs, "linkSync").mockImplementation(() => {
      throw Object.assign(new Error("EPERM: operation not permitted, link"), { code: "EPERM" });
    });
    onTestFinished(() => {
      refused.mockRestore();
      syncBuiltinESMExports();
    });
    syncBuiltinESMExports();
    expect(await problemsOf(state.locks.take([service("review")], claim, atOnce))).toMatchObject([
      {
        code: "SP1017",
        message: expect.stringContaining(state.folder),
        hint: expect.stringContaining("XDG_STATE_HOME"),
      },
    ]);
    expect(state.files()).toEqual([]);
  });

  test("can be waited for, naming each run that holds it", async () => {
    await using state = await openState();
    let now = 0;
    const holders = await Promise.all([state.locks.take([service("review")], claim, atOnce)]);
    const told: Problem[] = [];
    const waiting: Waiting = {
      ...atOnce,
      wait: 60_000,
      clock: {
        now: () => now,
        async wait(milliseconds) {
          now += milliseconds;
          if (now > 2000) holders.shift()?.release();
        },
      },
      onWaiting: (problem) => told.push(problem),
    };
    const taken = await state.locks.take([service("review")], { ...claim, run: "r2" }, waiting);
    expect(told).toHaveLength(1);
    expect(await problemsOf(state.locks.take([service("review")], claim, waiting))).toMatchObject([{ code: "SP5005" }]);
    expect(now).toBeGreaterThan(60_000);
    const interrupted = { ...waiting, signal: AbortSignal.abort() };
    expect(await problemsOf(state.locks.take([service("review")], claim, interrupted))).toMatchObject([
      { code: "SP5003" },
    ]);
    taken.release();
  });

  test("is waited for within one limit for all services", async () => {
    await using state = await openState();
    const [a, b] = await Promise.all(["a", "b"].map((name) => state.locks.take([service(name)], claim, atOnce)));
    let now = 0;
    const wait = async (milliseconds: number) => {
      now += milliseconds;
      if (now === 40_000) a?.release();
    };
    const waiting: Waiting = { ...atOnce, wait: 60_000, clock: { now: () => now, wait } };
    const problems = await problemsOf(state.locks.take([service("a"), service("b")], claim, waiting));
    expect(problems).toMatchObject([{ code: "SP5005", service: "b" }]);
    expect(now).toBe(60_000);
    b?.release();
  });

  test("remembers the last run that wrote, so that an older plan is checked again", async () => {
    await using state = await openState();
    const services = [service("a"), service("b")];
    const before = state.locks.lastRuns(services);
    (await state.locks.take(services.slice(0, 1), claim, atOnce)).release();
    const after = state.locks.lastRuns(services);
    expect(after.get("a")).not.toBe(before.get("a"));
    expect(after.get("b")).toBe(before.get("b"));
    const taken = await state.locks.take(services, claim, atOnce);
    expect(taken.before).toEqual(after);
    taken.release();
  });
});

test("a run is named after those that began and ended while it waited, so that the journals are in the order of the runs", async () => {
  await using lab = await openDirectLab();
  const names: string[] = [];
  const pageAt = (id: string, at: string) => ({ now: document("WikiPage", { id, title: id }), at: new Date(at) });
  const meanwhile = [
    async () => void names.push((await road.apply(pageAt("48377", "2026-11-22T08:00:05Z"))).run),
    async () => {},
  ];
  const take = async () => {
    await meanwhile.shift()?.();
    return { before: new Map<string, string>(), release: async () => undefined };
  };
  const road = lab.another({ locks: { lastRuns: () => new Map(), take } });
  names.push((await road.apply(pageAt("48213", "2026-11-22T08:00:00Z"))).run);
  expect(names.map((name) => name.slice(0, -5))).toEqual(["2026-11-22T080005Z", "2026-11-22T080006Z"]);
});

test("a run that has the locks of several services is one problem, which names all of them", async () => {
  await using state = await openState();
  const both = [service("review"), service("wiki", "https://wiki.example")];
  await state.locks.take(both, claim, atOnce);
  const third = service("hosting", "https://hosting.example");
  await state.locks.take([third], { ...claim, run: "r3" }, atOnce);
  const problems = await problemsOf(state.locks.take([...both, third], { ...claim, run: "r2" }, atOnce));
  const said = problems.map(({ message, service: name }) => [/ to (\S+|review, wiki): /.exec(message)?.[1], name]);
  expect(said).toHaveLength(2);
  expect(said).toEqual(
    expect.arrayContaining([
      ["https://hosting.example", "hosting"],
      ["review, wiki", undefined],
    ]),
  );
  expect(problems.flatMap(({ hint = "" }) => hint.match(/locks\/review-\w+\.lock/g) ?? [])).toHaveLength(3);
});
