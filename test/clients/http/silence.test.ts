import { expect, onTestFinished, test } from "vitest";
import { openConnection } from "../../../src/clients/connect.ts";
import type { Attempt } from "../../../src/clients/http/outcome.ts";
import { refusalGate, silenceOf } from "../../../src/clients/http/retry.ts";
import { basicCredentials, problemOf, serveLoopback, serviceOf, testClock } from "../fixtures.ts";

/** A minute and more of a service that answers nothing unless it is up. */
async function open(
  role: "review" | "ci",
  answer: (path: string) => readonly [number, Readonly<Record<string, string>>, string],
) {
  const at = { now: Date.UTC(2027, 0, 1), isUp: false };
  const wait = async (milliseconds: number) => {
    at.now += milliseconds;
  };
  const clock = { ...testClock(), now: () => at.now, random: () => 1, wait };
  const url = await serveLoopback((request, response) => {
    const [status, headers, body] = answer(request.url ?? "");
    if (at.isUp) response.writeHead(status, headers).end(body);
    else request.socket.destroy();
  });
  const service = { ...serviceOf(role), url };
  const connection = openConnection(service, { mode: "write", credentials: basicCredentials, clock });
  onTestFinished(() => connection.close());
  return { at, url, connection };
}

const json = { "content-type": "application/json" };

test("a service that answers nothing for a minute gets one request per minute, until it answers again", async () => {
  const { at, url, connection } = await open("review", () => [200, json, ")]}'\n{}"]);
  const read = () => connection.call("listAccess", { project: ["p"] });
  const sent = () => connection.requests.reads;

  at.isUp = true;
  await read();
  at.isUp = false;
  // Each read takes four attempts, with 3.5 s between them.
  for (let lost = 0; lost < 19; lost++) expect(await problemOf(read())).toMatchObject({ code: "SP3102" });
  expect(sent()).toBe(1 + 19 * 4);

  // This is the one request of the minute.
  await problemOf(read());
  expect(sent()).toBe(1 + 20 * 4);
  for (let unsent = 0; unsent < 100; unsent++) await problemOf(read());
  expect(await problemOf(read())).toMatchObject({
    code: "SP3101",
    message: `No answer from ${url} to any request for over a minute, so nothing more was sent.`,
  });
  expect(sent()).toBe(1 + 20 * 4);

  at.now += 60_000;
  at.isUp = true;
  await read();
  await read();
  expect(sent()).toBe(3 + 20 * 4);
});

test("a service that refuses the credentials or sets a limit gets one request per minute, until it answers again", async () => {
  for (const [refusal, code] of [
    [[401, {}, "Unauthorized"] as const, "SP3003"],
    [[429, { "retry-after": "3600" }, ""] as const, "SP3008"],
  ] as const) {
    const answers = { refused: true };
    const { at, connection } = await open("review", () => (answers.refused ? refusal : [200, json, ")]}'\n{}"]));
    at.isUp = true;
    const read = () => connection.call("listAccess", { project: ["p"] });
    for (let refused = 0; refused < 100; refused++) expect(await problemOf(read())).toMatchObject({ code });
    expect(connection.requests.reads).toBe(1);

    at.now += 60_000;
    answers.refused = false;
    await read();
    await read();
    expect(connection.requests.reads).toBe(3);
  }
});

test("a clock that is set back keeps no service from its request per minute", async () => {
  const answers = { refused: true };
  const { at, connection } = await open("review", () =>
    answers.refused ? [401, {}, "Unauthorized"] : [200, json, ")]}'\n{}"],
  );
  const read = () => connection.call("listAccess", { project: ["p"] });
  at.isUp = true;
  await problemOf(read());
  at.now -= 3_600_000;
  answers.refused = false;
  await problemOf(read());
  at.now += 60_000;
  await read();

  at.isUp = false;
  for (let lost = 0; lost < 4; lost++) await problemOf(read());
  at.now -= 3_600_000;
  await problemOf(read());
  for (let waited = 0; waited < 60_000; waited += 20_000) {
    at.now += 20_000;
    await problemOf(read());
  }
  expect(await problemOf(read())).toMatchObject({ code: "SP3101" });
});

test("a pause that retries can bridge keeps no other request from being sent", async () => {
  let refusals = 3;
  const { at, connection } = await open("review", () =>
    refusals-- > 0 ? [429, { "retry-after": "60" }, ""] : [200, json, ")]}'\n{}"],
  );
  at.isUp = true;
  const read = () => connection.call("listAccess", { project: ["p"] });
  await Promise.all([read(), read(), read()]);
  expect(connection.requests.reads).toBe(6);
});

test("a refusal of credentials that were accepted before is about one object only, unless others follow", async () => {
  const { at, connection } = await open("review", (path) =>
    path.includes("secret") ? [401, {}, "Unauthorized"] : [200, json, ")]}'\n{}"],
  );
  at.isUp = true;
  const read = (project: string) => connection.call("listAccess", { project: [project] });
  await read("p");
  expect(await problemOf(read("secret"))).toMatchObject({ code: "SP3003" });
  expect(await problemOf(read("secret"))).toMatchObject({ code: "SP3003" });
  await read("p");
  expect(connection.requests.reads).toBe(4);
  // A token that is revoked during the life of a worker.
  for (let refused = 0; refused < 100; refused++) await problemOf(read("secret"));
  expect(connection.requests.reads).toBe(4 + 3);
});

test("a write that needs a ticket finds out that its service is back", async () => {
  const ticket = JSON.stringify({ crumb: "c", crumbRequestField: "Jenkins-Crumb" });
  const { at, url, connection } = await open("ci", (path) =>
    path.startsWith("/crumbIssuer") ? [200, json, ticket] : [302, { location: `${url}/job/a/1/` }, ""],
  );
  const stop = () => connection.call("stopBuild", { buildUrl: `${url}/job/a/1/` });
  for (let unanswered = 0; unanswered < 25; unanswered++) await problemOf(stop());
  expect(await problemOf(stop())).toMatchObject({ message: expect.stringContaining("so nothing more was sent") });
  at.now += 60_000;
  at.isUp = true;
  await stop();
});

const answer = { status: 401, headers: {}, body: Buffer.alloc(0) };
const refused: Attempt = { is: "failed", answer, failure: { status: 401 } };
const accepted: Attempt = { is: "answered", answer };

test("a refusal says nothing about another root, and while its next request is under way, no other is sent", async () => {
  const clock = { time: 0, now: () => clock.time };
  const gate = refusalGate(clock, true);
  const send = (attempt: Attempt | Promise<Attempt>, name?: string) =>
    gate(async () => attempt, name === undefined ? undefined : { is: "entry", name });
  expect(await send(refused)).toBe(refused);
  expect(await send(accepted)).toMatchObject({ is: "final", problem: { code: "SP3003" } });
  expect(await send(accepted, "updates")).toBe(accepted);
  clock.time = 60_000;
  const underWay = Promise.withResolvers<Attempt>();
  const next = send(underWay.promise);
  expect(await send(accepted)).toMatchObject({ is: "final" });
  underWay.resolve(accepted);
  expect(await next).toBe(accepted);
  expect(await send(accepted)).toBe(accepted);
});

test("silence begins with the third request without any answer, and a failure that repeats itself is none", async () => {
  const clock = { time: 0, now: () => clock.time };
  const problem = { code: "SP3102", message: "No connection." } as const;
  const sentOf = async (is: "unsent" | "final") => {
    const unlessSilent = silenceOf("https://a.example", clock);
    let sent = 0;
    for (clock.time = 0; clock.time < 200_000; clock.time += 40_000)
      await unlessSilent(async () => {
        sent++;
        return { is, problem };
      });
    return sent;
  };
  expect([await sentOf("unsent"), await sentOf("final")]).toEqual([4, 5]);
});
