import { expect, test } from "vitest";
import type { PlannedCall } from "../../src/core/call.ts";
import { ProblemError } from "../../src/core/problem.ts";
import type { Plan } from "../../src/core/run/plan.ts";
import type { JsonObject } from "../../src/core/text/json.ts";
import { permitted } from "../../src/engine/apply/permit.ts";
import { emptyPlan } from "../reports/fixture.ts";
import { problemsOf } from "../support/lab.ts";

type Given = Pick<PlannedCall, "operation" | "args"> & Partial<PlannedCall>;

/** A gate for a plan of these calls to one service, and what came through. */
function gate(
  calls: readonly Given[],
  {
    triggers = [],
    withheld = new Set<number>(),
    answer = () => undefined,
  }: {
    readonly triggers?: readonly Given[];
    readonly withheld?: ReadonlySet<number>;
    readonly answer?: (operation: string) => unknown;
  } = {},
) {
  const numbered = (call: Given, index: number): PlannedCall => ({
    id: index + 1,
    service: "store",
    carries: ["store/Box/a"],
    phase: 0,
    lane: "store a",
    ...call,
  });
  const plan: Plan = {
    ...emptyPlan,
    calls: calls.map(numbered),
    triggers: triggers.map((call, index) => numbered(call, calls.length + index)),
  };
  const sent: string[] = [];
  const call = async (operation: string, args: JsonObject) => {
    sent.push(`${operation} ${JSON.stringify(args)}`);
    return answer(operation);
  };
  const open = new Map([
    ["store", { reader: () => ({}), call, requests: { reads: 0, writes: 0 } }],
    ["other", { reader: () => ({}), call, requests: { reads: 0, writes: 0 } }],
  ]);
  const sessions = permitted(open, plan, "run-1", withheld);
  const make = (operation: string, args: JsonObject, service = "store") =>
    Promise.resolve(sessions.get(service)?.call(operation, args));
  const refused = async (...given: Parameters<typeof make>) =>
    (await problemsOf(make(...given))).map(({ code }) => code);
  return { make, refused, sent };
}

const put = { operation: "put", args: { name: "a", size: 1 } };

test("a planned call can be made once, whatever the order of its arguments", async () => {
  const { make, refused, sent } = gate([put]);
  await make("put", { size: 1, name: "a" });
  expect(await refused("put", put.args)).toEqual(["SP4006"]);
  expect(sent).toEqual(['put {"size":1,"name":"a"}']);
});

test("a call that is planned twice can be made twice", async () => {
  const { make, refused } = gate([put, put]);
  await make("put", put.args);
  await make("put", put.args);
  expect(await refused("put", put.args)).toEqual(["SP4006"]);
});

test("another operation, argument or service is refused before anything is sent", async () => {
  const { refused, sent } = gate([put]);
  expect(await refused("remove", put.args)).toEqual(["SP4006"]);
  expect(await refused("put", { ...put.args, size: 2 })).toEqual(["SP4006"]);
  expect(await refused("put", { ...put.args, force: true })).toEqual(["SP4006"]);
  expect(await refused("put", { name: "a" })).toEqual(["SP4006"]);
  expect(await refused("put", put.args, "other")).toEqual(["SP4006"]);
  expect(sent).toEqual([]);
});

test("parts can be made only after the whole was refused", async () => {
  const part = {
    id: 2,
    service: "store",
    operation: "put",
    args: { name: "b" },
    carries: [],
    phase: 0,
    lane: "store a",
  };
  const whole = { ...put, parts: [part] };
  const accepted = gate([whole]);
  await accepted.make("put", put.args);
  expect(await accepted.refused("put", part.args)).toEqual(["SP4006"]);
  const failing = gate([whole], {
    answer: () => {
      throw new ProblemError({ code: "SP3007", message: "no" });
    },
  });
  expect(await failing.refused("put", part.args)).toEqual(["SP4006"]);
  expect(await failing.refused("put", put.args)).toEqual(["SP3007"]);
  expect(await failing.refused("put", part.args)).toEqual(["SP3007"]);
  expect(await failing.refused("put", part.args)).toEqual(["SP4006"]);
});

test("exactly the secret that was handed out can be revoked, and only once", async () => {
  const create = {
    operation: "create",
    args: {},
    deliver: { from: "token", to: { file: "t" }, otherwise: { operation: "revoke", argument: "id", from: "number" } },
  };
  const { make, refused } = gate([create], { answer: () => ({ token: "x", number: 7 }) });
  expect(await refused("revoke", { id: 7 })).toEqual(["SP4006"]);
  await make("create", {});
  expect(await refused("revoke", { id: 8 })).toEqual(["SP4006"]);
  await make("revoke", { id: 7 });
  expect(await refused("revoke", { id: 7 })).toEqual(["SP4006"]);
});

test("a trigger can be made once, with the id of the run that the plan could not know", async () => {
  const { make, refused } = gate([], { triggers: [{ operation: "start", args: { run: "$" + "{run.id}" } }] });
  expect(await refused("start", { run: "another" })).toEqual(["SP4006"]);
  await make("start", { run: "run-1" });
  expect(await refused("start", { run: "run-1" })).toEqual(["SP4006"]);
});

test("a withheld call is refused", async () => {
  const { refused } = gate([put], { triggers: [put], withheld: new Set([1, 2]) });
  expect(await refused("put", put.args)).toEqual(["SP4006"]);
});
