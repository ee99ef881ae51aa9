import { expect, test } from "vitest";
import type { Observation } from "../../src/core/change.ts";
import type { Kind } from "../../src/core/kind.ts";
import { ProblemError } from "../../src/core/problem.ts";
import { observe, observeSubjects, type ReadScopes, scopeReader } from "../../src/engine/observe/observe.ts";
import { makePlan } from "../../src/planner/make-plan.ts";
import { subjectsOf } from "../../src/planner/subjects.ts";
import { absent, Box, box, declare, planParts, present } from "../support/fake-kinds.ts";

test("each resource is decided about once, even in the making of a plan, and nothing is read twice", async () => {
  const asked: string[] = [];
  const decidedAbout: string[] = [];
  const bottom = { shelf: "a", name: "bottom" };
  const counted: Kind = {
    ...box,
    async observe(_read, _scope, wanted) {
      const keys = wanted.map((spec) => box.key(Box.parse(spec)));
      asked.push(...keys);
      return new Map(keys.map((key): [string, Observation] => [key, key === "a:bottom" ? present(bottom) : absent]));
    },
    needsPerson({ key }) {
      decidedAbout.push(key);
      return undefined;
    },
  };
  // The top box needs one that left the manifests, and one that never was in them.
  const declarations = {
    kinds: new Map([["Box", counted]]),
    desired: [declare({ shelf: "a", name: "top", on: ["bottom", "elsewhere"] })],
    base: [declare(bottom)],
    selected: () => true,
    now: new Date(0),
  };
  const observed = await observe(
    declarations,
    scopeReader(() => ({})),
  );
  const planned = makePlan({
    ...declarations,
    ...observed,
    ...planParts,
    guards: { maxDeletePercent: 100, noDeletes: false },
  });
  expect(planned).toMatchObject({
    is: "wrong",
    problems: [
      { code: "SP1010", message: expect.stringContaining("a:bottom, which has left the manifests") },
      { code: "SP1010", message: expect.stringContaining("a:elsewhere, which is neither declared nor live") },
    ],
  });
  expect(asked).toEqual(["a:bottom", "a:top", "a:elsewhere"]);
  expect(decidedAbout).toEqual(["a:bottom", "a:top"]);
});

test("scopes are started as the service has room for their requests, and reported in their order", async () => {
  const begun: string[] = [];
  const { promise: first, resolve: answer } = Promise.withResolvers<void>();
  const shelves: Kind = {
    ...box,
    async observe(_read, scope, wanted) {
      begun.push(scope);
      await first;
      return new Map(wanted.map((spec) => [box.key(Box.parse(spec)), absent]));
    },
  };
  const desired = Array.from({ length: 150 }, (_, shelf) => declare({ shelf: `${shelf + 100}`, name: "top" }));
  const declarations = {
    kinds: new Map([["Box", shelves]]),
    desired,
    base: [],
    selected: () => true,
    now: new Date(0),
  };
  const rooms: (() => void)[] = [];
  const room = () => new Promise<void>((resolve) => rooms.push(resolve));
  const subjects = subjectsOf(declarations);
  const seen = observeSubjects(declarations, subjects, scopeReader(Object.assign(() => ({}), { room })));
  const settled = () => new Promise(setImmediate);
  await settled();
  expect(begun).toHaveLength(64);
  rooms[0]?.();
  await settled();
  expect(begun).toHaveLength(128);
  answer();
  rooms[1]?.();
  const decided = await seen;
  expect(rooms).toHaveLength(2);
  expect(begun).toEqual(desired.map(({ scope }) => scope));
  expect(decided.map(({ address, observation }) => [address, observation.is])).toEqual(
    desired.map(({ address }) => [address, "absent"]),
  );
});

test("an error thrown by a reading is thrown on, even while the next reading waits for room", async () => {
  const broken: Kind = { ...box, observe: () => Promise.reject(new Error("a bug")) };
  const desired = Array.from({ length: 65 }, (_, shelf) => declare({ shelf: `${shelf}`, name: "top" }));
  const declarations = { kinds: new Map([["Box", broken]]), desired, base: [], selected: () => true, now: new Date(0) };
  const room = async () => void (await new Promise(setImmediate));
  const reader = scopeReader(Object.assign(() => ({}), { room }));
  await expect(observeSubjects(declarations, subjectsOf(declarations), reader)).rejects.toThrow("a bug");
});

test("readings, even by a worker, are recognised on the machine that has the files; failures are unknown", async () => {
  const recognising: Kind = {
    ...box,
    async recognise(live, wanted) {
      const { name } = Box.parse(live);
      if (name === "lost") throw new ProblemError({ code: "SP1017", message: "It is gone." });
      return { ...Box.parse(live), label: `${wanted.length} wanted` };
    },
  };
  const desired = ["lost", "new", "top"].map((name) => declare({ shelf: "a", name, label: "2 wanted" }));
  const declarations = {
    kinds: new Map([["Box", recognising]]),
    desired,
    base: desired,
    selected: () => true,
    now: new Date(0),
  };
  const fromWorker: ReadScopes = async (scopes) =>
    new Map(
      scopes
        .flatMap(({ targets }) => targets)
        .map(({ address, specs: [spec] }) => {
          const { shelf, name } = Box.parse(spec);
          return [address, name === "new" ? absent : present({ shelf, name })];
        }),
    );
  const decided = await observeSubjects(declarations, subjectsOf(declarations), fromWorker);
  expect(decided.map(({ observation }) => observation)).toEqual([
    {
      is: "unknown",
      problem: { service: "store", address: "store/Box/a:lost", code: "SP1017", message: "It is gone." },
    },
    absent,
    present({ shelf: "a", name: "top", label: "2 wanted" }),
  ]);
  expect(decided.map(({ decision }) => decision.is)).toEqual(["unknown", "change", "in sync"]);
});
