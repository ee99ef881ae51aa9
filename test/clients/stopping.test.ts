import { expect, test } from "vitest";
import { awaitRestart } from "../../src/clients/ci/restart.ts";
import { openConnection } from "../../src/clients/connect.ts";
import { sendWithRetries } from "../../src/clients/http/retry.ts";
import { ProblemError } from "../../src/core/problem.ts";
import { listen } from "../support/commands.ts";
import { problemOf, serviceOf, testClock, tokenCredentials } from "./fixtures.ts";

test("after a first interrupt the write under way completes, waiting writes are not sent, and reads still are", async () => {
  const asked: string[] = [];
  const release = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  await using server = await listen(async ({ method = "" }, response) => {
    asked.push(method);
    arrived.resolve();
    await release.promise;
    response.writeHead(method === "PUT" ? 204 : 200, { "content-type": "application/json" });
    response.end(method === "PUT" ? undefined : '{"enabled":true}');
  });
  const stopping = new AbortController();
  const service = serviceOf("hosting", {
    url: server.url,
    limits: { concurrency: 1, timeout: 120_000, attempts: 4 },
  });
  const connection = openConnection(service, {
    mode: "write",
    credentials: tokenCredentials,
    stopping: stopping.signal,
    env: {},
  });
  const first = connection.call("setActionsPermissions", { org: "o", repo: "r", enabled: true });
  const second = problemOf(connection.call("setActionsPermissions", { org: "o", repo: "r", enabled: false }));
  await arrived.promise;
  stopping.abort(new ProblemError({ code: "SP5004", message: "The journal is full." }));
  release.resolve();
  await first;
  expect(await second).toMatchObject({ code: "SP5004", message: "The journal is full." });
  await connection.call("getActionsPermissions", { org: "o", repo: "r" });
  expect(asked).toEqual(["PUT", "GET"]);
  await connection.close();
});

test.each([
  ["write", 1],
  ["read", 4],
] as const)("after a first interrupt a %s is sent %i times at most", async (effect, times) => {
  let sent = 0;
  const send = async () => {
    sent++;
    return { is: "unsent", problem: { code: "SP3102", message: "No connection." } } as const;
  };
  await sendWithRetries(send, { attempts: 4, effect, clock: testClock(), stopping: AbortSignal.abort() });
  expect(sent).toBe(times);
});

test("an interrupt ends the wait for a restart, and whether it happened is unknown", async () => {
  const clock = {
    ...testClock(),
    wait: async () => {
      throw new Error("aborted");
    },
  };
  const server = async () => ({ version: "2", run: "a" });
  expect(await problemOf(awaitRestart(server, { version: "2", run: "a" }, clock))).toMatchObject({ code: "SP3105" });
});
