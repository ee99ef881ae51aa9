import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { ended, listen, setpoint, start, temporaryFolder } from "../../support/commands.ts";
import { startRedis } from "./redis.ts";

const token = "k4nary-token-9Zq";
const perSecond = 50;

/** A code hosting service that notes when it was asked for what, by its own clock. */
async function hosting() {
  const arrivals: { readonly at: number; readonly path: string }[] = [];
  const waiting = new Map<number, () => void>();
  const server = await listen((request, response) => {
    arrivals.push({ at: performance.now(), path: request.url ?? "" });
    waiting.get(arrivals.length)?.();
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ enabled: false }));
  });
  return {
    ...server,
    arrivals,
    /** Resolves with the request of this number. */
    asked: (number: number) =>
      arrivals.length >= number ? Promise.resolve() : new Promise<void>((resolve) => waiting.set(number, resolve)),
    /** The most requests of any second, its end left out. */
    mostInASecond: () =>
      Math.max(...arrivals.map(({ at: from }) => arrivals.filter(({ at }) => at >= from && at < from + 1000).length)),
  };
}

async function workspace(url: string, repositories: number) {
  const folder = await temporaryFolder();
  await folder.write(
    "setpoint.yaml",
    `version: 1\nservices:\n  hosting: { type: github, url: "${url}", limits: { requestsPerSecond: ${perSecond} } }\n`,
  );
  const documents = Array.from({ length: repositories }, (_, index) =>
    JSON.stringify({ kind: "ActionsPermission", spec: { org: "acme", repo: `repository-${index}`, enabled: true } }),
  );
  await folder.write("manifests/all.yaml", documents.join("\n---\n"));
  const options = { cwd: folder.path, env: { SETPOINT_HOSTING_TOKEN: token, SETPOINT_HOSTING_URL: url } };
  return { ...folder, options };
}

/** What a drift reported, without its moment. */
function reported(out: string): unknown {
  const { about, ...plan } = JSON.parse(out);
  return { ...plan, about: { ...about, at: "" } };
}

async function startWorkers(count: number, url: string, options: Parameters<typeof start>[1]) {
  const started = Array.from({ length: count }, () => start(["worker", "--queue", url, "--json"], options));
  await Promise.all(
    started.map(async ({ stdout }) => {
      for await (const line of createInterface({ input: stdout })) return line;
      throw new Error("The worker ended.");
    }),
  );
  const left = new Set(started);
  return {
    kill() {
      const [first] = left;
      first?.kill("SIGKILL");
      if (first !== undefined) left.delete(first);
    },
    async [Symbol.asyncDispose]() {
      for (const worker of left) worker.kill("SIGKILL");
    },
  };
}

test("four workers, one killed, Redis restarted: the report of a single process, at the limit, without a credential in Redis", async () => {
  await using server = await hosting();
  await using redis = await startRedis();
  await using desk = await workspace(server.url, 300);
  await using workers = await startWorkers(4, redis.url, desk.options);
  const spread = ended(start(["drift", "--queue", redis.url, "--json"], desk.options));
  await server.asked(60);
  workers.kill();
  await server.asked(150);
  await redis.restart();
  const { code, out, err } = await spread;
  expect({ code, err }).toEqual({ code: 2, err: "" });
  expect(server.mostInASecond()).toBeLessThanOrEqual(perSecond);
  expect(new Set(server.arrivals.map(({ path }) => path)).size).toBe(300);
  const seen = await setpoint(["queue", "--queue", redis.url, "--json"], desk.options);
  expect(JSON.parse(seen.out)).toMatchObject({
    services: [{ service: "hosting", workers: 3, waiting: 0, underWay: 0, done: 0, failed: 0 }],
  });
  const alone = await setpoint(["drift", "--json"], desk.options);
  const reads = /"reads": \d+/g;
  expect(reported(out.replace(reads, '"reads": 0'))).toEqual(reported(alone.out.replace(reads, '"reads": 0')));
  const written = await readdir(join(redis.folder, "appendonlydir"));
  const texts = await Promise.all(written.map((name) => readFile(join(redis.folder, "appendonlydir", name), "latin1")));
  expect(texts.join("")).toContain("repository-299");
  expect(texts.join("")).not.toContain(token);
});

test("a run whose process was killed goes on under its name, and nothing is read twice", async () => {
  await using server = await hosting();
  await using redis = await startRedis();
  await using desk = await workspace(server.url, 150);
  await using _workers = await startWorkers(2, redis.url, desk.options);
  const first = start(["drift", "--queue", redis.url, "--run", "nightly", "--json"], desk.options);
  await server.asked(70);
  first.kill("SIGKILL");
  await ended(first);
  const { code, out } = await setpoint(["drift", "--queue", redis.url, "--run", "nightly", "--json"], desk.options);
  expect(code).toBe(2);
  expect(JSON.parse(out).changes).toHaveLength(150);
  expect(server.arrivals.map(({ path }) => path).toSorted()).toEqual(
    [...new Set(server.arrivals.map(({ path }) => path))].toSorted(),
  );
  expect(server.arrivals).toHaveLength(150);
  expect(server.mostInASecond()).toBeLessThanOrEqual(perSecond);
});
