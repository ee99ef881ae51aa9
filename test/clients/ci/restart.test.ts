import { expect, onTestFinished, test } from "vitest";
import { awaitRestart, restartAndAwait } from "../../../src/clients/ci/restart.ts";
import { openConnection } from "../../../src/clients/connect.ts";
import { type Problem, ProblemError } from "../../../src/core/problem.ts";
import { Secret } from "../../../src/core/secret.ts";
import { sandboxForTest } from "../../sandbox/asking.ts";
import { problemOf, serviceOf, testClock } from "../fixtures.ts";

const down: Problem = { code: "SP3009", message: "down" };

/** A server that answers with these, one after the other, and then with the last one forever. */
function answering(...answers: readonly (object | Problem)[]) {
  let asked = 0;
  return async () => {
    const answer = answers[Math.min(asked++, answers.length - 1)];
    if (answer !== undefined && "code" in answer) throw new ProblemError(answer);
    return answer;
  };
}

test("a server that identifies its runs is back once the run differs, however often it answers before", async () => {
  const clock = testClock();
  const old = { version: "2.479.3", run: "a" };
  const server = answering(old, old, down, { version: "2.492", run: "b" });
  expect(await awaitRestart(server, old, clock)).toEqual({ version: "2.492", run: "b" });
  expect(clock.waits).toEqual([2000, 2000, 2000]);
});

test("a server that is back before the first request is noticed", async () => {
  const server = answering({ version: "2.492", run: "b" });
  expect(await awaitRestart(server, { version: "2.479.3", run: "a" }, testClock())).toMatchObject({ run: "b" });
});

test("a server that does not identify its runs is back once it answers after not answering", async () => {
  const old = { version: "2.100" };
  const clock = testClock();
  expect(await awaitRestart(answering(old, down, down, old), old, clock)).toEqual(old);
  expect(clock.waits).toHaveLength(3);
});

test.each(["SP3101", "SP3102", "SP3103", "SP3104"] as const)(
  "%s is accepted from a server that is starting",
  async (code) => {
    const server = answering({ code, message: "x" }, { version: "2", run: "b" });
    await expect(awaitRestart(server, { version: "2", run: "a" }, testClock())).resolves.toMatchObject({ run: "b" });
  },
);

test("a rate limit neither ends the waiting nor counts as a restart", async () => {
  const busy: Problem = { code: "SP3008", message: "x" };
  const old = { version: "2" };
  const server = answering(busy, old, busy, down, old);
  expect(await awaitRestart(server, old, testClock())).toEqual(old);
  const identified = answering(busy, { version: "2", run: "a" }, { version: "2", run: "b" });
  await expect(awaitRestart(identified, { version: "2", run: "a" }, testClock())).resolves.toMatchObject({ run: "b" });
});

test.each(["SP3003", "SP3106", "SP5003"] as const)("%s ends the waiting", async (code) => {
  const server = answering({ code, message: "x" });
  expect(await problemOf(awaitRestart(server, { version: "2", run: "a" }, testClock()))).toMatchObject({ code });
});

test("waiting for a server that does not restart ends after 10 minutes", async () => {
  const clock = testClock();
  const old = { version: "2", run: "a" };
  expect(await problemOf(awaitRestart(answering(old), old, clock))).toMatchObject({ code: "SP3101" });
  expect(clock.waits.reduce((sum, wait) => sum + wait, 0)).toBe(600_000);
});

/** A server on its old run, which restarts when told to, whatever it answers to that. */
function restarting(said: Problem | undefined) {
  let run = "a";
  const sent: string[] = [];
  return {
    sent,
    async call(operation: string) {
      sent.push(operation);
      if (operation === "getVersion") return { version: "2", run };
      run = "b";
      if (said !== undefined) throw new ProblemError(said);
      return undefined;
    },
  };
}
const restart = { wire: "product", operation: "safeRestart", args: {} } as const;

test.each([undefined, { code: "SP3105", message: "lost" } as const])(
  "a restart is awaited even if its answer was lost: %j",
  async (said) => {
    const server = restarting(said);
    expect(await restartAndAwait(server.call, restart, testClock())).toMatchObject({ run: "b" });
    expect(server.sent).toEqual(["getVersion", "safeRestart", "getVersion"]);
  },
);

test.each(["SP3003", "SP3106", "SP5003"] as const)(
  "%s after a restart was requested does not claim that nothing was done",
  async (code) => {
    const server = restarting(undefined);
    const call = async (operation: string) => {
      if (server.sent.includes("safeRestart")) throw new ProblemError({ code, message: "Why.", hint: "What to do." });
      return server.call(operation);
    };
    expect(await problemOf(restartAndAwait(call, restart, testClock()))).toEqual({
      code: "SP3105",
      message: "The server was told to restart, but it is not known whether it did. Why.",
      hint: "What to do.",
    });
    // Before the request it does.
    const early = async () => {
      throw new ProblemError({ code, message: "Why." });
    };
    expect(await problemOf(restartAndAwait(early, restart, testClock()))).toMatchObject({ code });
  },
);

test("the problem of a server that is not back after 10 minutes says that it might be later", async () => {
  const still = async () => ({ version: "2", run: "a" });
  const problem = await problemOf(restartAndAwait(still, restart, testClock()));
  expect(problem).toMatchObject({ code: "SP3105", message: expect.stringContaining("within 10 minutes") });
});

test("an interrupted wait is reported as that, and as nothing else", async () => {
  const still = async () => ({ version: "2", run: "a" });
  const clock = { ...testClock(), wait: () => Promise.reject(new Error("interrupted")) };
  expect(await problemOf(restartAndAwait(still, restart, clock))).toMatchObject({
    code: "SP3105",
    message: "The server was told to restart, but the run was interrupted before it was back.",
  });
});

test("a refused restart is not awaited", async () => {
  const server = restarting({ code: "SP3004", message: "no" });
  expect(await problemOf(restartAndAwait(server.call, restart, testClock()))).toMatchObject({ code: "SP3004" });
  expect(server.sent).toEqual(["getVersion", "safeRestart"]);
});

test("after a restart of the sandbox the next write has a crumb of the new session", async () => {
  const sandbox = await sandboxForTest();
  sandbox.change(({ ci }) => {
    ci.startupRequests = 9;
  });
  const clock = testClock();
  const credentials = { is: "basic", username: "admin", password: new Secret("secret") } as const;
  const connection = openConnection(serviceOf("ci", { url: sandbox.services.ci.url }), {
    mode: "write",
    credentials,
    clock,
  });
  onTestFinished(() => connection.close());
  await connection.call("restart", {});
  expect(await awaitRestart(connection.call, { version: "2.479.3", run: "4a0001" }, clock)).toEqual({
    version: "2.479.3",
    run: "4a0002",
  });
  await connection.call("buildJob", { job: "nightly-checks" });
  expect(sandbox.state().ci.jobs["nightly-checks"]?.builds).toHaveLength(2);
});
