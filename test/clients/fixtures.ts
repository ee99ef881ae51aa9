import { createServer, type RequestListener } from "node:http";
import type { Server } from "node:net";
import { onTestFinished } from "vitest";
import type { Credentials } from "../../src/clients/credentials/credentials.ts";
import type { Clock } from "../../src/clients/http/clock.ts";
import { type Problem, ProblemError } from "../../src/core/problem.ts";
import type { RoleName } from "../../src/core/resource.ts";
import { Secret } from "../../src/core/secret.ts";
import type { Service } from "../../src/core/service.ts";

export function serviceOf(role: RoleName, over: Partial<Service> = {}): Service {
  return {
    name: role,
    role,
    type: "any",
    url: `https://${role}.example.com`,
    wire: "product",
    limits: { concurrency: 4, timeout: 120_000, attempts: 4 },
    ...over,
  };
}

export const basicCredentials: Credentials = { is: "basic", username: "robot", password: new Secret("pa55/word") };
export const tokenCredentials: Credentials = { is: "token", token: new Secret("t0ken"), username: "robot" };

export interface TestClock extends Clock {
  /** The waits requested so far, in milliseconds. */
  readonly waits: readonly number[];
  /** Timeouts that have not been cancelled. */
  pending(): number;
  /** Makes every request that is under way time out. */
  expire(): void;
}

/** A clock that stands still at the given time: waits end immediately, and backoff is the longest possible. */
export function testClock(now = Date.UTC(2027, 0, 1)): TestClock {
  const waits: number[] = [];
  const timeouts = new Set<() => void>();
  return {
    waits,
    pending: () => timeouts.size,
    expire: () => {
      for (const act of timeouts) act();
    },
    now: () => now,
    wait: async (milliseconds) => {
      waits.push(milliseconds);
    },
    timeout: (_milliseconds, act) => {
      timeouts.add(act);
      return () => timeouts.delete(act);
    },
    random: () => 1,
  };
}

/** The only problem with which a promise rejects. */
export async function problemOf(promise: Promise<unknown>): Promise<Problem> {
  const error: unknown = await promise.then(
    (value) => new Error(`resolved to ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  const [problem] = error instanceof ProblemError ? error.problems : [];
  if (problem === undefined) throw error;
  return problem;
}

/** Serves on a free loopback port until the test ends; resolves to the root URL of the server. */
export async function serveLoopback(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  onTestFinished(() => server.closeAllConnections());
  return listenOnLoopback(server);
}

/** The same for a server of any protocol over TCP. */
export async function listenOnLoopback(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return `http://127.0.0.1:${address.port}`;
}
