import { Queue } from "bullmq";
import { Redis } from "ioredis";
import { expect, test } from "vitest";
import { ended, listen, setpoint, start } from "../../support/commands.ts";
import { type OwnRedis, startRedis } from "./redis.ts";
import { hosting, startWorkers, workspace } from "./workers.ts";

/** Opens a view into a queue, independent of setpoint. */
function look({ port }: OwnRedis) {
  const client = new Redis(port);
  const names = async (pattern: RegExp) => (await client.keys("*")).filter((name) => pattern.test(name));
  return {
    client,
    names,
    /** Resolves with the keys whose names match, once there are any. */
    async until(pattern: RegExp): Promise<readonly string[]> {
      for (;;) {
        const found = await names(pattern);
        if (found.length > 0) return found;
      }
    },
    async [Symbol.asyncDispose]() {
      client.disconnect();
    },
  };
}

/** Matches the keys of jobs that setpoint has left. */
const job = /^setpoint:hosting\.[0-9a-f]{12}:j[0-9a-f]{32}$/;

test("a process that takes over a run owns it: the earlier process says so, and nothing is read twice", async () => {
  await using server = await hosting({ hold: 20 });
  await using redis = await startRedis();
  await using desk = await workspace(server.url, 150);
  await using _workers = await startWorkers(1, redis.url, desk.options);
  await using inside = look(redis);
  const drift = () => ended(start(["drift", "--queue", redis.url, "--run", "nightly", "--json"], desk.options));
  const first = drift();
  await server.asked(20);
  const [run = ""] = await inside.names(/^setpoint-run:/);
  const owner = await inside.client.get(run);
  const second = drift();
  while ((await inside.client.get(run)) === owner);
  server.release();
  const [before, after] = await Promise.all([first, second]);
  expect(before.code).toBe(1);
  expect(JSON.parse(before.out)).toMatchObject({
    problems: [{ code: "SP5008", message: "Another process has taken up the run." }],
  });
  expect(after.code).toBe(2);
  expect(JSON.parse(after.out).changes).toHaveLength(150);
  expect(server.arrivals).toHaveLength(150);
});

test("shards that run concurrently under one name do not end each other, and together are the whole plan", async () => {
  await using server = await hosting();
  await using redis = await startRedis();
  await using desk = await workspace(server.url, 150);
  await using _workers = await startWorkers(2, redis.url, desk.options);
  const shards = [1, 2].map((index) => {
    const part = ["--shard", `${index}/2`, "--report", `json=${index}.json`];
    return ended(start(["drift", "--queue", redis.url, "--run", "nightly", ...part], desk.options));
  });
  expect((await Promise.all(shards)).map(({ code }) => code)).toEqual([2, 2]);
  const merged = await setpoint(["report", "merge", "1.json", "2.json", "--json"], desk.options);
  expect(merged.code).toBe(2);
  expect(JSON.parse(merged.out).changes).toHaveLength(150);
  expect(server.arrivals).toHaveLength(150);
});

test("a Redis that loses everything costs only time", async () => {
  await using server = await hosting();
  await using redis = await startRedis();
  await using desk = await workspace(server.url, 250);
  await using _workers = await startWorkers(1, redis.url, desk.options);
  await using inside = look(redis);
  const drift = ended(start(["drift", "--queue", redis.url, "--json"], desk.options));
  await server.asked(20);
  await inside.client.flushall();
  const { code, out } = await drift;
  expect(code).toBe(2);
  expect(JSON.parse(out).changes).toHaveLength(250);
  expect(JSON.parse(out).unknown).toEqual([]);
});

test("a run that was reported or interrupted leaves nothing behind, nor does a job that no worker took", async () => {
  await using server = await hosting();
  await using redis = await startRedis();
  await using desk = await workspace(server.url, 60);
  await using inside = look(redis);
  const left = () => inside.names(/^setpoint-(run|result):|^setpoint:.*:j/);
  const interrupted = start(["drift", "--queue", redis.url], desk.options);
  await inside.until(job);
  interrupted.kill("SIGINT");
  expect((await ended(interrupted)).code).toBe(1);
  expect(await left()).toEqual([]);
  await using _workers = await startWorkers(1, redis.url, desk.options);
  expect((await setpoint(["drift", "--queue", redis.url, "--run", "nightly"], desk.options)).code).toBe(2);
  expect(await left()).toEqual([]);
});

test("a job at which every worker dies is unknown, and the rest is reported", async () => {
  let asks = () => {};
  await using server = await listen((request, response) => {
    if (request.url?.includes("deadly") === true) return asks();
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ enabled: false }));
  });
  await using redis = await startRedis();
  await using desk = await workspace(server.url, 60);
  const deadly = { kind: "ActionsPermission", spec: { org: "acme", repo: "deadly", enabled: true } };
  await desk.write("manifests/deadly.yaml", JSON.stringify(deadly));
  await using inside = look(redis);
  const drift = ended(start(["drift", "--queue", redis.url, "--json"], desk.options));
  const isAsked = new Promise<void>((resolve) => {
    asks = resolve;
  });
  await using workers = await startWorkers(1, redis.url, desk.options);
  await isAsked;
  // As if five workers had died before.
  for (const name of await inside.until(job))
    if ((await inside.client.hget(name, "data"))?.includes("deadly") === true) await inside.client.hset(name, "stc", 5);
  workers.kill();
  await using _later = await startWorkers(1, redis.url, desk.options);
  const { code, out } = await drift;
  const { changes, unknown } = JSON.parse(out);
  expect(code).toBe(3);
  expect(unknown).toContainEqual(
    expect.objectContaining({
      address: "hosting/ActionsPermission/acme/deadly",
      problem: expect.objectContaining({
        code: "SP5009",
        message: "No worker could read it: too many workers died while reading it, or lost the queue.",
      }),
    }),
  );
  expect(changes.length + unknown.length).toBe(61);
  expect(changes.length).toBeGreaterThan(0);
});

test("an entry that is not a job ends with a message from the worker, and the report is complete", async () => {
  await using server = await hosting();
  await using redis = await startRedis();
  await using desk = await workspace(server.url, 60);
  await using workers = await startWorkers(1, redis.url, desk.options);
  await using inside = look(redis);
  const [meta = ""] = await inside.until(/^setpoint:hosting\..*:meta$/);
  const name = meta.split(":")[1] ?? "";
  const queue = new Queue(name, { connection: { port: redis.port }, prefix: "setpoint" });
  const data = { run: "gone", now: new Date().toISOString(), kind: "ActionsPermission", scopes: [] };
  await queue.add("other", "of somebody else's");
  await inside.client.set("setpoint-run:there", "");
  await queue.add("read", { ...data, run: "there", kind: "Nonsense" }, { attempts: 1_000_000 });
  await queue.add("read", data);
  const raw = async (id: string, fields: Readonly<Record<string, string>>) => {
    if (Object.keys(fields).length > 0) await inside.client.hset(`setpoint:${name}:${id}`, fields);
    await inside.client.lpush(`setpoint:${name}:wait`, id);
    await inside.client.zadd(`setpoint:${name}:marker`, 0, "0");
  };
  await raw("ghost", {});
  await raw("torn", { data: "{", opts: "{}" });
  await inside.client.hset("setpoint:x:y:meta", "of", "somebody else");
  const drift = await setpoint(["drift", "--queue", redis.url, "--json"], desk.options);
  expect(drift.code).toBe(2);
  expect(JSON.parse(drift.out).changes).toHaveLength(60);
  while ((await inside.names(/:torn$/)).length > 0);
  const seen = await setpoint(["queue", "--queue", redis.url, "--json"], desk.options);
  expect(JSON.parse(seen.out).services).toMatchObject([{ queue: name, waiting: 0, underWay: 0, failed: 3 }]);
  expect(workers.said().split("SP5009").length - 1).toBe(4);
  await queue.close();
});
