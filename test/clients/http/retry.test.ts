import { expect, test } from "vitest";
import type { Answer } from "../../../src/clients/http/answer.ts";
import type { Attempt } from "../../../src/clients/http/outcome.ts";
import { retryDelay, sendWithRetries } from "../../../src/clients/http/retry.ts";
import { virtualClock } from "../../support/virtual-clock.ts";
import { testClock } from "../fixtures.ts";

const now = Date.UTC(2027, 0, 1);
const problem = { code: "SP3102", message: "gone" } as const;
const unsent: Attempt = { is: "unsent", problem };
const lost: Attempt = { is: "lost", problem };

function failed(status: number, headers: Answer["headers"] = {}, resumes?: number): Attempt {
  return { is: "failed", answer: { status, headers, body: Buffer.alloc(0) }, failure: { status, resumes } };
}

function answered(): Attempt {
  return { is: "answered", answer: { status: 200, headers: { "retry-after": "0" }, body: Buffer.alloc(0) } };
}

function losingSender() {
  let count = 0;
  const send = async () => {
    count += 1;
    return lost;
  };
  return { send, sent: () => count };
}

const read = { effect: "read", clock: testClock(now) } as const;
const write = { effect: "write", clock: testClock(now) } as const;

test.each([
  { name: "429", attempt: failed(429), readAgain: true, writeAgain: true },
  { name: "500", attempt: failed(500), readAgain: true, writeAgain: false },
  { name: "503", attempt: failed(503), readAgain: true, writeAgain: false },
  { name: "503 with Retry-After", attempt: failed(503, { "retry-after": "0" }), readAgain: true, writeAgain: true },
  { name: "500 with Retry-After", attempt: failed(500, { "retry-after": "0" }), readAgain: true, writeAgain: false },
  { name: "a limit sent as 403", attempt: failed(403, {}, now), readAgain: true, writeAgain: true },
  { name: "501", attempt: failed(501), readAgain: false, writeAgain: false },
  { name: "400", attempt: failed(400), readAgain: false, writeAgain: false },
  { name: "409", attempt: failed(409), readAgain: false, writeAgain: false },
  { name: "a lost answer", attempt: lost, readAgain: true, writeAgain: false },
  { name: "a request that was not sent", attempt: unsent, readAgain: true, writeAgain: true },
  { name: "a final failure", attempt: { is: "final", problem }, readAgain: false, writeAgain: false },
  { name: "an answer with Retry-After", attempt: answered(), readAgain: false, writeAgain: false },
] satisfies readonly { attempt: Attempt; [other: string]: unknown }[])(
  "after $name: read again $readAgain, write again $writeAgain",
  ({ attempt, readAgain, writeAgain }) => {
    expect(retryDelay(attempt, 1, read) !== undefined).toBe(readAgain);
    expect(retryDelay(attempt, 1, write) !== undefined).toBe(writeAgain);
  },
);

test.each([
  ["0", 0],
  ["7", 7_000],
  ["3600", 30_000],
  [new Date(now + 5_000).toUTCString(), 5_000],
  [new Date(now - 5_000).toUTCString(), 0],
  [new Date(now + 3_600_000).toUTCString(), 30_000],
  ["1.5", 1_500],
  ["-5", 500],
  ["5, 5", 500],
  ["soon", 500],
  ["", 500],
])("Retry-After %j is a wait of %i ms", (value, delay) => {
  expect(retryDelay(failed(429, { "retry-after": value }), 1, write)).toBe(delay);
  expect(retryDelay(failed(503, { "retry-after": value }), 1, read)).toBe(delay);
});

test("a Retry-After date is about the service's clock, not about this machine's", () => {
  const hourAhead = now + 3_600_000;
  const headers = (wait: number) => ({
    date: new Date(hourAhead).toUTCString(),
    "retry-after": new Date(hourAhead + wait).toUTCString(),
  });
  expect(retryDelay(failed(429, headers(5_000)), 1, write)).toBe(5_000);
  expect(retryDelay(failed(429, headers(0)), 1, write)).toBe(0);
});

test("a service that says when it accepts requests again is retried then or not at all", () => {
  expect(retryDelay(failed(429, {}, now + 29_000), 1, write)).toBe(29_000);
  expect(retryDelay(failed(429, {}, now - 1), 1, write)).toBe(0);
  expect(retryDelay(failed(429, {}, now + 31_000), 1, write)).toBeUndefined();
});

test("backoff doubles up to 30 s and is drawn from its whole range", () => {
  expect([1, 2, 3, 4, 7, 8].map((sent) => retryDelay(lost, sent, read))).toEqual([
    500, 1000, 2000, 4000, 30_000, 30_000,
  ]);
  expect(retryDelay(lost, 3, { ...read, clock: { ...testClock(now), random: () => 0.25 } })).toBe(500);
});

test("sending stops at the first answer", async () => {
  const clock = testClock(now);
  const attempts = [lost, failed(503, { "retry-after": "0" }), answered(), lost];
  const last = await sendWithRetries(async () => attempts.shift() ?? lost, { attempts: 4, effect: "read", clock });
  expect(last.is).toBe("answered");
  expect(attempts).toHaveLength(1);
  expect(clock.waits).toEqual([500, 0]);
});

test("sending stops after the allowed attempts, with the last failure", async () => {
  const clock = testClock(now);
  let sent = 0;
  const send = async () => failed(500 + sent++);
  const last = await sendWithRetries(send, { attempts: 1, effect: "read", clock });
  expect(last).toMatchObject({ failure: { status: 500 } });
  const losing = losingSender();
  const four = await sendWithRetries(losing.send, { attempts: 4, effect: "read", clock });
  expect(four).toBe(lost);
  expect([sent, losing.sent()]).toEqual([1, 4]);
});

test("an interrupt ends the waiting with the result so far", async () => {
  const controller = new AbortController();
  const { send, sent } = losingSender();
  const clock = {
    ...testClock(now),
    wait: async () => {
      controller.abort();
      throw new Error("aborted");
    },
  };
  const last = await sendWithRetries(send, { attempts: 4, effect: "read", clock, signal: controller.signal });
  expect(last).toBe(lost);
  expect(sent()).toBe(1);
});

test.each(["read", "write"] as const)("an interrupt ends a wait of a %s that has begun", async (effect) => {
  const interrupt = new AbortController();
  const clock = virtualClock(now);
  const rules = {
    attempts: 4,
    effect,
    clock,
    ...(effect === "read" ? { signal: interrupt.signal } : { stopping: interrupt.signal }),
  };
  const ended = sendWithRetries(async () => unsent, rules);
  await clock.pass(0, (waits) => waits.length === 1);
  interrupt.abort();
  expect(await ended).toBe(unsent);
});

test("nothing is sent again after an interrupt", async () => {
  const { send, sent } = losingSender();
  const clock = testClock(now);
  await sendWithRetries(send, { attempts: 4, effect: "read", clock, signal: AbortSignal.abort() });
  expect(sent()).toBe(1);
});
