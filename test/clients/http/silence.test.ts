import { expect, onTestFinished, test } from "vitest";
import { openConnection } from "../../../src/clients/connect.ts";
import { basicCredentials, problemOf, serveLoopback, serviceOf, testClock } from "../fixtures.ts";

test("a service that answers nothing for a minute gets one request per minute, until it answers again", async () => {
  let now = Date.UTC(2027, 0, 1);
  const wait = async (milliseconds: number) => {
    now += milliseconds;
  };
  const clock = { ...testClock(), now: () => now, random: () => 1, wait };
  let isUp = true;
  const url = await serveLoopback((request, response) => {
    if (isUp) response.writeHead(200, { "content-type": "application/json" }).end(")]}'\n{}");
    else request.socket.destroy();
  });
  const service = { ...serviceOf("review"), url };
  const connection = openConnection(service, { mode: "read", credentials: basicCredentials, clock });
  onTestFinished(() => connection.close());
  const read = () => connection.call("listAccess", { project: ["p"] });
  const sent = () => connection.requests.reads;

  await read();
  isUp = false;
  // Each takes four attempts, and 3.5 s between them.
  for (let lost = 0; lost < 19; lost++) expect(await problemOf(read())).toMatchObject({ code: "SP3102" });
  expect(sent()).toBe(1 + 19 * 4);

  // The one of this minute.
  await problemOf(read());
  expect(sent()).toBe(1 + 20 * 4);
  for (let unsent = 0; unsent < 100; unsent++) await problemOf(read());
  expect(await problemOf(read())).toMatchObject({
    code: "SP3101",
    message: `No answer from ${url} to anything for over a minute, so no more was sent.`,
  });
  expect(sent()).toBe(1 + 20 * 4);

  now += 60_000;
  isUp = true;
  await read();
  await read();
  expect(sent()).toBe(3 + 20 * 4);
});
