import { expect, test } from "vitest";
import type { Clock } from "../../../src/clients/http/clock.ts";
import type { Observation } from "../../../src/core/change.ts";
import type { Kind } from "../../../src/core/kind.ts";
import { ProblemError } from "../../../src/core/problem.ts";
import type { Service } from "../../../src/core/service.ts";
import { type Job, jobsOf, queueOf } from "../../../src/engine/queue/job.ts";
import { spreadReading } from "../../../src/engine/queue/spread.ts";
import type { Scope } from "../../../src/planner/subjects.ts";
import { type Box, box } from "../../support/fake-kinds.ts";
import { type MemoryBoard, memoryBoard } from "../../support/queue.ts";
import { virtualClock } from "../../support/virtual-clock.ts";

const kind: Kind = box;
const review: Service = {
  name: "review",
  role: "review",
  type: "gerrit",
  url: "https://review.example",
  wire: "product",
  limits: { concurrency: 4, timeout: 10_000, attempts: 4 },
};
const run = { id: "nightly", now: new Date("2027-01-14T02:00:00Z") };
const moment = { now: run.now };
const never = new AbortController().signal;
const absent: Observation = { is: "absent", marker: undefined };
const later: Observation = { is: "unknown", problem: { code: "SP3009", message: "The service answered 500." } };
const unplaced: Observation = {
  is: "unknown",
  problem: { code: "SP5008", message: "The queue cannot be used (OOM)." },
};
const forbidden: Observation = { is: "unknown", problem: { code: "SP3004", message: "The service answered 403." } };

function shelf(name: string, ...specs: readonly Partial<Box & { readonly deliver: unknown }>[]): Scope {
  const targets = specs.map((spec, index) => {
    const whole = { shelf: name, name: `box-${index}`, ...spec };
    const address = `review/Box/${name}:${whole.name}`;
    return { address, service: "review", kind, scope: `shelf ${name}`, specs: [whole] };
  });
  return { service: "review", kind, scope: `shelf ${name}`, targets };
}

/** `count` shelves with one box each. */
function shelves(count: number): readonly Scope[] {
  return Array.from({ length: count }, (_, index) => shelf(String(index), {}));
}

function result(job: Job, seen: Observation | null = absent): string {
  const targets = job.ask.scopes.flatMap((scope) => scope.targets);
  return JSON.stringify({ reads: targets.length, seen: targets.map(() => seen) });
}

/** Reads over a board, with waits that end immediately. */
function reading(board: MemoryBoard, how: { readonly clock?: Clock; readonly signal?: AbortSignal } = {}) {
  const { clock = { ...virtualClock(0), wait: async () => {} }, signal = never } = how;
  const own = async (scopes: readonly Scope[]) =>
    new Map(scopes.flatMap(({ targets }) => targets.map(({ address }) => [address, forbidden] as const)));
  return spreadReading(board, run, [review], own, { clock, signal });
}

function kinds(seen: ReadonlyMap<string, Observation>): readonly string[] {
  return [...seen.values()].map((one) => (one.is === "unknown" ? one.problem.code : one.is));
}

test("a job has at most 50 targets, and a scope is never divided", () => {
  const sizes = (scopes: readonly Scope[]) =>
    jobsOf(scopes, new Map([["review", review]]), run).map(({ scopes: some }) =>
      some.map(({ targets }) => targets.length),
    );
  expect(sizes(shelves(120)).map((some) => some.length)).toEqual([50, 50, 20]);
  const large = shelf("large", ...Array.from({ length: 70 }, (_, index) => ({ name: String(index) })));
  expect(sizes([shelf("a", {}, {}), large, shelf("b", {})])).toEqual([[2], [70], [1]]);
  const long = { label: "x".repeat(200_000) };
  expect(sizes([shelf("a", long), shelf("b", long)])).toEqual([[1], [1]]);
});

test("a job has the same id only for the same question of the same run", () => {
  const idOf = (of = run, service = review, spec: Partial<Box> = {}) =>
    jobsOf([shelf("a", spec)], new Map([["review", service]]), of)[0]?.id;
  expect(idOf()).toBe(idOf());
  const others = [
    idOf({ ...run, id: "another" }),
    idOf({ ...run, now: new Date(0) }),
    idOf(run, { ...review, url: "https://elsewhere.example" }),
    idOf(run, review, { size: 2 }),
  ];
  expect(new Set([idOf(), ...others]).size).toBe(5);
});

test("workers share a queue if address, wire and pace of the service agree, whatever their other limits", () => {
  const same = [review, { ...review, limits: { concurrency: 16, timeout: 1000, attempts: 1 } }];
  expect(new Set(same.map(queueOf)).size).toBe(1);
  const others = [
    { ...review, url: "https://elsewhere.example" },
    { ...review, wire: "documented" as const },
    { ...review, urls: { auth: "https://auth.example" } },
    { ...review, limits: { ...review.limits, requestsPerSecond: 5 } },
  ];
  expect(new Set([review, ...others].map(queueOf)).size).toBe(5);
});

test("the results of workers are returned with their requests, and progress is reported by scope", async () => {
  const told: string[] = [];
  const spread = reading(memoryBoard(async (job) => result(job)));
  const seen = await spread.read(shelves(60), moment, (_service, done, total) => told.push(`${done} of ${total}`));
  expect(new Set(kinds(seen))).toEqual(new Set(["absent"]));
  expect(seen.size).toBe(60);
  expect(spread.reads("review")).toBe(60);
  expect([told[0], told.at(-1)]).toEqual(["0 of 60", "60 of 60"]);
});

test("a scope that depends on a secret delivered here is read here", async () => {
  const board = memoryBoard(async (job) => result(job));
  const seen = await reading(board).read([shelf("a", { deliver: { file: "secrets/a" } }), shelf("b", {})], moment);
  expect(kinds(seen).toSorted()).toEqual(["SP3004", "absent"]);
  expect(board.left.flatMap(({ ask }) => ask.scopes.map(({ scope }) => scope))).toEqual(["shelf b"]);
});

test("a resource whose secret might be lost is marked here, since workers do not know about it", async () => {
  const board = memoryBoard(async (job) => result(job, { is: "present", spec: { shelf: "a", name: "b" }, marker: 1 }));
  const [scope] = shelves(1);
  const address = scope?.targets[0]?.address ?? "";
  const seen = await reading(board).read(shelves(1), { ...moment, undelivered: new Set([address]) });
  expect(seen.get(address)).toMatchObject({ is: "present", note: "the last run did not deliver it" });
});

test.each([
  ["no JSON", () => "{"],
  ["another form", () => JSON.stringify({ seen: "all of it" })],
  ["fewer targets", () => JSON.stringify({ reads: 0, seen: [absent] })],
  ["more targets", () => JSON.stringify({ reads: 0, seen: [absent, absent, absent] })],
  ["a member that no observation has", () => JSON.stringify({ reads: 0, seen: [{ is: "absent", of: 1 }, absent] })],
  ["a word that no observation has", () => JSON.stringify({ reads: 0, seen: [{ is: "gone" }, absent] })],
  [
    "a code that no problem has",
    () => JSON.stringify({ reads: 0, seen: [{ ...later, problem: { code: "SP9", message: "" } }, absent] }),
  ],
])("a result that does not fit is unknown, never absent: %s", async (_case, text) => {
  const seen = await reading(memoryBoard(async () => text())).read([shelf("a", {}, {})], moment);
  expect(kinds(seen)).toEqual(["SP5009", "SP5009"]);
});

test("an object that the kind rejects is unknown, and its neighbours are observed", async () => {
  const spec = { shelf: "a", name: "box-1" };
  const seen = [
    { is: "present", spec: { labels: {} } },
    { is: "present", spec },
  ];
  const picky: Kind = {
    ...kind,
    key: (one) => {
      if (typeof one === "object" && one !== null && "shelf" in one) return kind.key(one);
      throw new TypeError("no shelf");
    },
  };
  const scope = shelf("a", {}, {});
  const picked = { ...scope, kind: picky, targets: scope.targets.map((target) => ({ ...target, kind: picky })) };
  const board = memoryBoard(async () => JSON.stringify({ reads: 0, seen }));
  expect(kinds(await reading(board).read([picked], moment))).toEqual(["SP5009", "present"]);
});

test("a target that is missing from the service's answer is left out, as if it were read here", async () => {
  expect((await reading(memoryBoard(async (job) => result(job, null))).read(shelves(1), moment)).size).toBe(0);
});

test("a resumed run asks only for missing results and those that were unknown for a temporary reason", async () => {
  const first = memoryBoard(async (job) => result(job));
  await reading(first).read(shelves(200), moment);
  const [one, two, three, four] = first.left;
  if (one === undefined || two === undefined || three === undefined || four === undefined)
    throw new Error("There are four jobs.");
  const again = memoryBoard(async (job) => result(job));
  again.kept.set(one.id, result(one, forbidden)).set(two.id, result(two, later)).set(three.id, result(three, unplaced));
  const spread = reading(again);
  const seen = await spread.read(shelves(200), moment);
  expect(again.left.map(({ id }) => id)).toEqual([two.id, three.id, four.id]);
  expect(kinds(seen).filter((is) => is === "SP3004")).toHaveLength(50);
  expect(kinds(seen).filter((is) => is === "absent")).toHaveLength(150);
  // Objects read by the earlier process are not counted again.
  expect(spread.reads("review")).toBe(150);
});

test("jobs that workers gave up are unknown, with the reason", async () => {
  const board = memoryBoard(async () => undefined, {
    givenUp: async (jobs) => new Map(jobs.map(({ id }) => [id, "job stalled more than allowable limit"])),
  });
  const [seen] = (await reading(board).read(shelves(1), moment)).values();
  expect(seen).toMatchObject({
    is: "unknown",
    problem: { code: "SP5009", message: "No worker could read it: job stalled more than allowable limit." },
  });
});

test("results are polled more often than jobs and workers, which cost Redis more", async () => {
  let now = 0;
  let looks = 0;
  const wait = async (milliseconds: number) => {
    now += milliseconds;
  };
  const clock = { ...virtualClock(0), now: () => now, wait };
  const board = memoryBoard(async () => undefined, {
    async givenUp([job]) {
      looks++;
      return new Map(now < 10_000 || job === undefined ? [] : [[job.id, "it was late"]]);
    },
  });
  await reading(board, { clock }).read(shelves(1), moment);
  expect({ looks, now }).toEqual({ looks: 6, now: 10_200 });
});

test("a service that no worker reads for a minute is unknown, and the missing worker is named", async () => {
  const clock = virtualClock(0);
  let workers = 0;
  const board = memoryBoard(async () => undefined, { workers: async () => workers });
  const seen = reading(board, { clock }).read(shelves(1), moment);
  const pass = (milliseconds: number) => clock.pass(milliseconds, (waits) => waits.length === 1);
  await pass(0);
  await pass(1_000);
  // A worker that appears and leaves starts the minute anew.
  workers = 1;
  await pass(58_000);
  workers = 0;
  await pass(59_000);
  await clock.pass(60_000, (waits) => waits.length === 0);
  expect([...(await seen).values()]).toMatchObject([
    { is: "unknown", problem: { code: "SP5008", message: "No worker takes jobs of review." } },
  ]);
});

test("a service whose jobs no worker takes is told after two seconds, and again once a worker takes them", async () => {
  const clock = virtualClock(0);
  let workers = 0;
  let answer: string | undefined;
  const board = memoryBoard(async () => undefined, { workers: async () => workers });
  const told: string[] = [];
  const seen = reading(
    { ...board, results: async ([job]) => new Map(job && answer ? [[job.id, answer]] : []) },
    { clock },
  ).read(shelves(1), moment, (_service, done, total, lacksWorker = false) =>
    told.push(`${clock.now()} ms: ${done} of ${total}${lacksWorker ? ", no worker" : ""}`),
  );
  const pass = (milliseconds: number) => clock.pass(milliseconds, (waits) => waits.length === 1);
  await pass(0);
  await pass(1_000);
  await pass(2_000);
  await pass(2_000);
  workers = 1;
  await pass(2_000);
  answer = JSON.stringify({ reads: 1, seen: [absent] });
  await clock.pass(200, (waits) => waits.length === 0);
  await seen;
  expect(told).toEqual(["0 ms: 0 of 1", "3000 ms: 0 of 1, no worker", "7000 ms: 0 of 1", "7200 ms: 1 of 1"]);
});

test("a clock that is set back delays the next look at jobs and workers by no more than the time between two", async () => {
  let now = 0;
  let passed = 0;
  let looks = 0;
  const wait = async (milliseconds: number) => {
    passed += milliseconds;
    now += passed === 1_000 ? milliseconds - 3_600_000 : milliseconds;
  };
  const board = memoryBoard(async () => undefined, {
    workers: async () => 0,
    async givenUp() {
      looks++;
      return new Map();
    },
  });
  const seen = await reading(board, { clock: { ...virtualClock(0), now: () => now, wait } }).read(shelves(1), moment);
  expect(kinds(seen)).toEqual(["SP5008"]);
  // The minute without a worker begins anew.
  expect({ looks, passed }).toEqual({ looks: 32, passed: 63_000 });
});

test("an interrupt ends the wait", async () => {
  const clock = virtualClock(0);
  const stop = new AbortController();
  const seen = reading(
    memoryBoard(async () => undefined),
    { clock, signal: stop.signal },
  ).read(shelves(1), moment);
  const ended = expect(seen).rejects.toThrow(ProblemError);
  await clock.pass(0, (waits) => waits.length === 1);
  stop.abort();
  await ended;
});
