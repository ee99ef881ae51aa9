import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ended, setpoint, start } from "../../support/commands.ts";
import { startRedis } from "./redis.ts";
import { hosting, perSecond, reported, startWorkers, token, workspace } from "./workers.ts";

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

test("a run whose process was killed continues under its name, and nothing is read twice", async () => {
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
