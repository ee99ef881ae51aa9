import { expect, test } from "vitest";
import { z } from "zod";
import type { Answer } from "../../../src/clients/http/answer.ts";
import { cookieJar, etagMemory, isRemembered, ticketedSend } from "../../../src/clients/http/memory.ts";
import type { Attempt } from "../../../src/clients/http/outcome.ts";
import type { Operation } from "../../../src/core/operation.ts";
import { ProblemError } from "../../../src/core/problem.ts";

function answer(
  status: number,
  headers: Answer["headers"] = {},
  body: string | Buffer = "",
  more: Partial<Answer> = {},
): Answer {
  return { status, headers, body: Buffer.from(body), ...more };
}

test("a jar keeps the newest cookie of a name until the service says that it has expired", () => {
  const jar = cookieJar();
  expect(jar.header()).toEqual({});
  const store = (...cookies: string[]) => jar.store(answer(200, { "set-cookie": cookies }), Date.UTC(2027, 0, 1));
  store("a=1; Path=/", "b=2; Max-Age=60", "c=3; Expires=Sat, 01 Jan 2028 00:00:00 GMT");
  store("a=4");
  expect(jar.header()).toEqual({ cookie: "a=4; b=2; c=3" });
  store("b=; Max-Age=0", "c=; Expires=Thu, 01 Jan 1970 00:00:00 GMT");
  expect(jar.header()).toEqual({ cookie: "a=4" });
});

test("an answer with an entity tag is asked for only if it has changed, and is the same when it has not", () => {
  const memory = etagMemory();
  expect(memory.ask("/a").header).toEqual({});
  const link = "</a?page=2>; rel=next";
  memory.ask("/a").recall(answer(200, { etag: '"1"', "content-type": "text/plain", link, date: "today" }, "ü"));
  expect(memory.ask("/b").header).toEqual({});
  expect(memory.ask("/a").header).toEqual({ "if-none-match": '"1"' });
  const kept = answer(200, { etag: '"1"', "content-type": "text/plain", link }, "ü", { recalled: true });
  expect(memory.ask("/a").recall(answer(304))).toEqual(kept);
  const changed = answer(200, { etag: '"2"' }, "x");
  expect(memory.ask("/a").recall(changed)).toBe(changed);
  expect(memory.ask("/a").header).toEqual({ "if-none-match": '"2"' });
  memory.forget("/a");
  expect(memory.ask("/a").header).toEqual({});
  const unasked = answer(304);
  expect(memory.ask("/a").recall(unasked)).toBe(unasked);
});

test.each<[what: string, answer: Answer]>([
  ["without an entity tag", answer(200)],
  ["that is a failure", answer(404, { etag: '"1"' })],
  ["that is a part", answer(206, { etag: '"1"' })],
  ["that is no text", answer(200, { etag: '"1"' }, Buffer.from([0xff]))],
  ["of more than a MiB", answer(200, { etag: '"1"' }, "x".repeat(2 ** 20 + 1))],
  ["that was decoded while it was read", answer(200, { etag: '"1"' }, "", { decoded: () => 1 })],
])("an answer %s is not kept", (_what, given) => {
  const memory = etagMemory();
  expect(memory.ask("/a").recall(given)).toBe(given);
  expect(memory.ask("/a").header).toStrictEqual({});
});

test("only a plain read of the service itself, in which nothing is secret, is remembered", () => {
  const schemas = { args: z.object({}), result: z.unknown() };
  const read: Operation = { summary: "", effect: "read", method: "GET", path: "/a", body: "none", ...schemas };
  expect(isRemembered(read, undefined)).toBe(true);
  expect(isRemembered({ ...read, answer: "json" }, undefined)).toBe(true);
  expect(isRemembered({ ...read, answer: "text" }, undefined)).toBe(true);
  const others: readonly Partial<Operation>[] = [
    { effect: "write" },
    { method: "POST" },
    { answer: "file" },
    { headers: {} },
    { secrets: ["a"] },
  ];
  for (const root of [
    { is: "entry", name: "x" },
    { is: "given", url: "https://x.example" },
  ] as const)
    expect(isRemembered(read, root)).toBe(false);
  for (const other of others) expect(isRemembered({ ...read, ...other }, undefined)).toBe(false);
});

const done: Attempt = { is: "answered", answer: answer(200) };
const refusal: Attempt = { is: "failed", answer: answer(403), failure: { status: 403 } };
const lost: Attempt = { is: "lost", problem: { code: "SP3102", message: "" } };

/** Sends with tickets 1, 2 and so on, of which those given are refused. */
function ticketed(...refused: readonly number[]) {
  let handedOut = 0;
  const sent: (string | undefined)[] = [];
  const withTicket = ticketedSend(
    async () => ({ ticket: String(++handedOut) }),
    ({ status }) => status === 403,
  );
  const attempt = async ({ ticket }: Readonly<Record<string, string>>) => {
    sent.push(ticket);
    return refused.includes(Number(ticket)) ? refusal : done;
  };
  return { withTicket, attempt, sent };
}

test("one ticket serves all requests, and one new ticket those that it was refused to, once each", async () => {
  const good = ticketed();
  expect(await Promise.all([good.withTicket(good.attempt), good.withTicket(good.attempt)])).toEqual([done, done]);
  expect(good.sent).toEqual(["1", "1"]);
  const expired = ticketed(1);
  await Promise.all([expired.withTicket(expired.attempt), expired.withTicket(expired.attempt)]);
  expect(expired.sent).toEqual(["1", "1", "2", "2"]);
  const bad = ticketed(1, 2, 3);
  expect(await bad.withTicket(bad.attempt)).toBe(refusal);
  expect(bad.sent).toEqual(["1", "2"]);
});

test.each<[what: string, attempt: Attempt]>([
  ["answer that was lost", lost],
  ["answer of another kind", { is: "failed", answer: answer(500), failure: { status: 500 } }],
  ["answer that succeeded", { is: "answered", answer: answer(403) }],
])("a request is not sent again for its ticket after an %s", async (_what, attempt) => {
  let sent = 0;
  const { withTicket } = ticketed();
  const send = async () => {
    sent++;
    return attempt;
  };
  expect(await withTicket(send)).toBe(attempt);
  expect(sent).toBe(1);
});

test("a service without tickets is sent requests without one, and a ticket that could not be read is asked for again", async () => {
  const codes = ["SP3009", "SP3005"] as const;
  let asked = 0;
  const withTicket = ticketedSend(
    async () => {
      throw new ProblemError({ code: codes[asked++] ?? "SP3009", message: "" });
    },
    () => false,
  );
  const headers: Readonly<Record<string, string>>[] = [];
  const send = async (given: Readonly<Record<string, string>>) => {
    headers.push(given);
    return done;
  };
  await expect(withTicket(send)).rejects.toThrow(ProblemError);
  expect([await withTicket(send), await withTicket(send)]).toEqual([done, done]);
  expect([headers, asked]).toEqual([[{}, {}], 2]);
});
