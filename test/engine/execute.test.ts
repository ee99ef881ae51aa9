import { describe, expect, test } from "vitest";
import type { PlannedCall } from "../../src/core/call.ts";
import { type ProblemCode, ProblemError } from "../../src/core/problem.ts";
import type { Plan, PlannedChange } from "../../src/core/run/plan.ts";
import { type Execution, execute } from "../../src/engine/apply/apply.ts";
import type { JournalEntry } from "../../src/engine/journal/journal.ts";
import { emptyPlan } from "../reports/fixture.ts";

function change(address: string, dependsOn: readonly string[] = []): PlannedChange {
  return {
    address,
    service: "store",
    kind: "Box",
    key: address,
    action: "create",
    verdict: "pending",
    fields: [],
    risks: [],
    dependsOn,
    phase: 0,
  };
}

/** A plan of calls, each named after the resource that it carries. */
function planOf(
  calls: readonly (Partial<PlannedCall> & { readonly carries: readonly string[] })[],
  changes: readonly PlannedChange[],
): Plan {
  return {
    ...emptyPlan,
    changes,
    calls: calls.map((call, index) => ({
      id: index + 1,
      service: "store",
      operation: `put ${call.carries.join("+")}`,
      args: {},
      phase: 0,
      lane: call.carries.join("+"),
      ...call,
    })),
  };
}

/** Runs a plan against a service that fails the named operations; returns what was sent, in order. */
async function run(plan: Plan, failing: Readonly<Record<string, ProblemCode>> = {}, more: Partial<Execution> = {}) {
  const sent: string[] = [];
  const journal: JournalEntry[] = [];
  const call = async (operation: string) => {
    sent.push(operation);
    const code = failing[operation];
    if (code !== undefined) throw new ProblemError({ code, message: `${operation} went wrong` });
    return undefined;
  };
  const outcomes = await execute(plan, {
    sessions: new Map([["store", { reader: () => ({}), call, requests: { reads: 0, writes: 0 } }]]),
    journal: {
      async write(entry) {
        journal.push(entry);
      },
    },
    clock: () => 0,
    stopping: new AbortController().signal,
    stale: new Map(),
    openSink: () => ({ put: async () => {} }),
    settle: async () => new Set(),
    ...more,
  });
  return { sent, journal, results: outcomes.map(({ result }) => result), outcomes };
}

describe("executing a plan", () => {
  test("sends the calls of a phase before those of the next", async () => {
    const plan = planOf(
      [
        { carries: ["late"], phase: 1 },
        { carries: ["early"], phase: 0 },
      ],
      [change("late"), change("early")],
    );
    expect((await run(plan)).sent).toEqual(["put early", "put late"]);
  });

  test("sends the calls of a lane in sequence", async () => {
    const plan = planOf(
      [
        { carries: ["a"], lane: "one" },
        { carries: ["b"], lane: "one" },
      ],
      [change("a"), change("b")],
    );
    let open = 0;
    const widest: number[] = [];
    const call = async () => {
      widest.push(++open);
      await Promise.resolve();
      open--;
    };
    const sessions = new Map([["store", { reader: () => ({}), call, requests: { reads: 0, writes: 0 } }]]);
    await run(plan, {}, { sessions });
    expect(widest).toEqual([1, 1]);
  });

  test("skips what depends on a failed change and names the blocker; the rest continues", async () => {
    const plan = planOf(
      [
        { carries: ["role"] },
        { carries: ["group"] },
        { carries: ["assignment"], phase: 1 },
        { carries: ["other"], phase: 1 },
      ],
      [change("role"), change("group"), change("assignment", ["role", "group"]), change("other", ["group"])],
    );
    const { sent, results, outcomes } = await run(plan, { "put role": "SP3007" });
    expect(sent).toEqual(["put role", "put group", "put other"]);
    expect(results).toEqual(["failed", "done", "skipped", "done"]);
    expect(outcomes[2]?.problem).toMatchObject({ code: "SP4002", message: expect.stringContaining("role") });
  });

  test("skips the dependants of a skipped resource", async () => {
    const plan = planOf(
      [{ carries: ["a"] }, { carries: ["b"], phase: 1 }, { carries: ["c"], phase: 2 }],
      [change("a"), change("b", ["a"]), change("c", ["b"])],
    );
    expect((await run(plan, { "put a": "SP3009" })).results).toEqual(["failed", "skipped", "skipped"]);
  });

  test("skips the later calls of the same resource after a failed one", async () => {
    const plan = planOf(
      [
        { carries: ["a"], operation: "first", lane: "a" },
        { carries: ["a"], operation: "second", lane: "a" },
      ],
      [change("a")],
    );
    expect((await run(plan, { first: "SP3009" })).sent).toEqual(["first"]);
  });

  describe("a joint call", () => {
    const part = (id: number, name: string) => ({
      ...{ id, service: "store", operation: `put ${name}`, args: {}, carries: [name], phase: 0, lane: "shelf" },
    });
    const plan = planOf(
      [
        { carries: ["a", "b"], lane: "shelf", parts: [part(3, "a"), part(4, "b")] },
        { carries: ["c"], phase: 1 },
      ],
      [change("a"), change("b"), change("c", ["b"])],
    );

    test("that is refused as a whole is followed by its parts, so that one wrong change does not block the others", async () => {
      const { sent, outcomes, journal } = await run(plan, { "put a+b": "SP3007", "put a": "SP3007" });
      expect(sent).toEqual(["put a+b", "put a", "put b", "put c"]);
      expect(outcomes.map(({ id, result }) => [id, result])).toEqual([
        [1, "divided"],
        [2, "done"],
        [3, "failed"],
        [4, "done"],
      ]);
      expect(journal.flatMap((entry) => (entry.event === "intent" ? [entry.call.id] : []))).toEqual([1, 3, 4, 2]);
    });

    test.each(["SP3003", "SP3004", "SP3006", "SP3008", "SP3009", "SP3105"] as const)(
      "that ends with %s is not divided",
      async (code) => {
        const { sent, results } = await run(plan, { "put a+b": code });
        expect(sent).toEqual(["put a+b"]);
        expect(results).toEqual([code === "SP3105" ? "lost" : "failed", "skipped"]);
      },
    );

    test("that succeeds does not send its parts", async () => {
      expect((await run(plan)).sent).toEqual(["put a+b", "put c"]);
    });
  });

  test("settles a lost answer or a server failure by reading again before dependants run", async () => {
    const plan = planOf([{ carries: ["a"] }, { carries: ["b"], phase: 1 }], [change("a"), change("b", ["a"])]);
    const there = await run(plan, { "put a": "SP3105" }, { settle: async (addresses) => new Set(addresses) });
    expect(there.results).toEqual(["lost", "done"]);
    const notThere = await run(plan, { "put a": "SP3105" });
    expect(notThere.results).toEqual(["lost", "skipped"]);
    const failed = await run(plan, { "put a": "SP3009" }, { settle: async (addresses) => new Set(addresses) });
    expect(failed.results).toEqual(["failed", "done"]);
    const deleting = { ...plan, changes: plan.changes.map((one) => ({ ...one, action: "delete" as const })) };
    const gone = await run(deleting, { "put a": "SP3005" }, { settle: async (addresses) => new Set(addresses) });
    expect(gone.results).toEqual(["failed", "done"]);
    const creating = { ...plan, changes: plan.changes.map((one) => ({ ...one, action: "create" as const })) };
    const absent = await run(creating, { "put a": "SP3005" }, { settle: async (addresses) => new Set(addresses) });
    expect(absent.results).toEqual(["failed", "skipped"]);
  });

  test("reads only at the end what no change waits for", async () => {
    const settled: string[] = [];
    const plan = planOf([{ carries: ["a"] }, { carries: ["b"], phase: 1 }], [change("a"), change("b")]);
    const settle = async (addresses: readonly string[]) => {
      settled.push(...addresses);
      return new Set<string>();
    };
    await run(plan, { "put a": "SP3105", "put b": "SP3009" }, { settle });
    expect(settled).toEqual([]);
  });

  test("sends nothing more after an interrupt, and says so", async () => {
    const interruption = new AbortController();
    interruption.abort();
    const plan = planOf([{ carries: ["a"] }], [change("a")]);
    const { sent, outcomes } = await run(plan, {}, { stopping: interruption.signal });
    expect(sent).toEqual([]);
    expect(outcomes).toMatchObject([{ result: "skipped", problem: { code: "SP5003" } }]);
  });

  test("gives the reason for which a run stops, even to a call whose intent was being written", async () => {
    const stop = new AbortController();
    const reason = new ProblemError({ code: "SP5004", message: "The journal is full." });
    const journal = { write: async () => stop.abort(reason) };
    const plan = planOf([{ carries: ["a"] }, { carries: ["b"], phase: 1 }], [change("a"), change("b")]);
    const { sent, outcomes } = await run(plan, {}, { stopping: stop.signal, journal });
    expect(sent).toEqual([]);
    expect(outcomes).toMatchObject([
      { result: "skipped", problem: { code: "SP5004" } },
      { result: "skipped", problem: { code: "SP5004" } },
    ]);
  });

  test("does not send a call whose intent cannot be written, and keeps an outcome that cannot be written", async () => {
    const full = new ProblemError({ code: "SP5004", message: "The journal is full." });
    const failing = (event: string) => ({
      write: async (entry: JournalEntry) => {
        if (entry.event === event) throw full;
      },
    });
    const plan = planOf([{ carries: ["a"] }], [change("a")]);
    const unsent = await run(plan, {}, { journal: failing("intent") });
    expect([unsent.sent, unsent.results]).toEqual([[], ["skipped"]]);
    const told = await run(plan, {}, { journal: failing("outcome") });
    expect([told.sent, told.results]).toEqual([["put a"], ["done"]]);
  });

  test("writes every intent to the journal before its call, and every outcome after it", async () => {
    const plan = planOf([{ carries: ["a"] }, { carries: ["b"], phase: 1 }], [change("a"), change("b", ["a"])]);
    const { journal } = await run(plan, { "put a": "SP3009" });
    expect(journal).toMatchObject([
      { event: "intent", call: { carries: ["a"] } },
      { event: "outcome", outcome: { id: 1, result: "failed" } },
      { event: "outcome", outcome: { id: 2, result: "skipped" } },
    ]);
  });

  test("starts lanes as the service has room; calls that an interrupt finds waiting write no intent", async () => {
    const names = Array.from({ length: 150 }, (_, index) => `${index + 100}`);
    const plan = planOf(
      names.map((name) => ({ carries: [name] })),
      names.map((name) => change(name)),
    );
    const interruption = new AbortController();
    const meant: string[] = [];
    const sent: string[] = [];
    const rooms: (() => void)[] = [];
    const { promise: answer, resolve: answerAll } = Promise.withResolvers<void>();
    const call = async (operation: string) => {
      sent.push(operation);
      await answer;
    };
    const room = () => new Promise<void>((resolve) => rooms.push(resolve));
    const ended = run(
      plan,
      {},
      {
        sessions: new Map([["store", { reader: () => ({}), call, room, requests: { reads: 0, writes: 0 } }]]),
        journal: {
          async write(entry) {
            if (entry.event === "intent") meant.push(...entry.call.carries);
          },
        },
        stopping: interruption.signal,
      },
    );
    const settled = () => new Promise(setImmediate);
    await settled();
    expect(meant).toEqual(names.slice(0, 64));
    rooms[0]?.();
    await settled();
    expect(meant).toEqual(names.slice(0, 128));
    expect(sent).toHaveLength(128);
    interruption.abort();
    rooms[1]?.();
    answerAll();
    const { results } = await ended;
    expect([rooms.length, meant.length, sent.length]).toEqual([2, 128, 128]);
    expect(results).toEqual(names.map((_, index) => (index < 128 ? "done" : "skipped")));
  });

  test("does not swallow errors that are not problems of a service", async () => {
    const plan = planOf([{ carries: ["a"] }], [change("a")]);
    await expect(run(plan, {}, { sessions: new Map() })).rejects.toThrow("No session for store");
  });
});
