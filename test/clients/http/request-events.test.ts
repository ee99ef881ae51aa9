import { expect, test } from "vitest";
import type { Attempt } from "../../../src/clients/http/outcome.ts";
import { type RequestEvent, requestTellers } from "../../../src/clients/http/request-events.ts";
import { sendWithRetries } from "../../../src/clients/http/retry.ts";
import { testClock } from "../fixtures.ts";

const now = Date.UTC(2027, 0, 1);
const clock = testClock(now);
const limited: Attempt = {
  is: "failed",
  answer: { status: 429, headers: { "retry-after": "7" }, body: Buffer.alloc(0) },
  failure: { status: 429 },
};
const answered: Attempt = { is: "answered", answer: { status: 200, headers: {}, body: Buffer.alloc(0) } };

/** The events of a request whose attempts end in these ways, one after the other. */
async function toldOf(path: string, secrets: readonly string[], ...attempts: readonly Attempt[]) {
  const events: RequestEvent[] = [];
  const request = { operation: "getPage", effect: "read", method: "GET", path } as const;
  const teller = requestTellers("wiki", clock, (event) => events.push(event))(request, secrets);
  const left = [...attempts];
  const send = () => teller.sending(async () => left.shift() ?? answered);
  await sendWithRetries(send, { attempts: attempts.length, effect: "read", clock, waiting: teller.waiting });
  return events;
}

test("every attempt has its events, with the end of the wait for a limit", async () => {
  const events = await toldOf("/content/1", [], limited, answered);
  expect(events.map(({ service: _service, request: _request, ...event }) => event)).toEqual([
    { is: "sent", attempt: 1 },
    { is: "ended", attempt: 1, result: "failed", status: 429, milliseconds: 0 },
    { is: "waiting", until: now + 7000, limit: true },
    { is: "resumed" },
    { is: "sent", attempt: 2 },
    { is: "ended", attempt: 2, result: "answered", status: 200, milliseconds: 0 },
  ]);
});

test("an event has only the names of a query, and never a secret in any encoding", async () => {
  const secret = "k4nary/9Z q";
  const path = `/users/${encodeURIComponent(secret)}/x?token=${encodeURIComponent(secret)}&token=2&${secret}=1&flag`;
  const [event] = await toldOf(path, [secret], answered);
  expect(event?.request).toMatchObject({ path: "/users/•••/x", query: ["token", "•••", "flag"] });
});

test("a request that is refused before it is sent has an end event too", async () => {
  const events: RequestEvent[] = [];
  const request = { operation: "getPage", effect: "read", method: "GET", path: "/" } as const;
  const { sending } = requestTellers("wiki", clock, (event) => events.push(event))(request, []);
  await expect(sending(() => Promise.reject(new Error("refused")))).rejects.toThrow("refused");
  expect(events.at(-1)).toMatchObject({ is: "ended", result: "refused" });
});
