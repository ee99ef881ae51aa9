import { once } from "node:events";
import { createInterface } from "node:readline";
import { Redis } from "ioredis";
import { expect, test } from "vitest";
import { readQueueState } from "../../../src/engine/queue/state.ts";
import { loopbackCertificate } from "../../support/certificate.ts";
import { setpoint, start } from "../../support/commands.ts";
import { problemsOf } from "../../support/lab.ts";
import { movingAddress, startRedis } from "./redis.ts";
import { hosting, startWorkers, workspace } from "./workers.ts";

const password = "gehe1m:w@rt/9Zq";
const encoded = encodeURIComponent(password);
const goingOn = new AbortController().signal;

/** A user with the rights that docs/queue.md says are needed. */
const users = [
  ...["--user", "default", "off"],
  ...["--user", "setpoint", "on", `>${password}`, "~setpoint*", "+@all", "-@dangerous", "+info", "+client|list"],
];

/** Returns the settings with which a server uses TLS, and the environment that trusts it. */
function tls() {
  const { files, env } = loopbackCertificate();
  const { keyFile, certFile } = files;
  const named = ["--tls-cert-file", certFile, "--tls-key-file", keyFile, "--tls-ca-cert-file", certFile];
  return { settings: ["--port", "0", ...named, "--tls-auth-clients", "no"], env };
}

async function reasonOf(url: string, env: Readonly<Record<string, string>> = {}): Promise<string | undefined> {
  const [problem] = await problemsOf(readQueueState(undefined, { SETPOINT_QUEUE: url, ...env }, goingOn));
  const { code, message = "", hint = "" } = problem ?? {};
  expect({ code, text: `${message} ${hint}` }).toMatchObject({
    code: "SP5008",
    text: expect.not.stringContaining("w@rt"),
  });
  return `${message.replace(/^The queue at \S+ /, "")} ${hint.split(/[.:,]/, 1)[0]}`;
}

test("a user with few rights and a password reads over TLS, and the password is nowhere to be seen", async () => {
  const { settings, env } = tls();
  await using server = await hosting();
  await using redis = await startRedis([...settings, ...users], "--tls-port");
  await using desk = await workspace(server.url, 20);
  const url = `rediss://setpoint:${encoded}@127.0.0.1:${redis.port}`;
  const options = { ...desk.options, env: { ...desk.options.env, ...env, SETPOINT_QUEUE: url } };
  await using workers = await startWorkers(1, undefined, options);
  const drift = await setpoint(["drift", "--queue", "--json"], options);
  const queue = await setpoint(["queue"], options);
  const refused = await setpoint(["queue"], { ...options, env: { ...options.env, SETPOINT_QUEUE: `${url}/99` } });
  expect([drift.code, queue.code, refused.code]).toEqual([2, 0, 1]);
  expect(JSON.parse(drift.out).changes).toHaveLength(20);
  expect(refused.out).toContain(
    `The queue at rediss://127.0.0.1:${redis.port}/99 cannot be used (it has no such database).`,
  );
  const said = [drift, queue, refused].flatMap(({ out, err }) => [out, err]).concat(workers.said());
  for (const secret of [password, encoded]) expect(said.join("")).not.toContain(secret);
});

test("the problem for a server that refuses says why, and what to do", async () => {
  await using redis = await startRedis(users);
  const at = (user: string) => reasonOf(`redis://${user}127.0.0.1:${redis.port}`);
  const signIn = "Set SETPOINT_QUEUE to its URL with user and password";
  expect(await at("")).toBe(`cannot be used (NOAUTH). ${signIn}`);
  expect(await at(`setpoint:not-${encoded}@`)).toBe(`cannot be used (WRONGPASS). ${signIn}`);
});

test("the problem for a server that hangs up names the possible reasons", async () => {
  const { settings, env } = tls();
  await using secure = await startRedis(settings.slice(0, -2), "--tls-port");
  await using full = await startRedis(["--maxclients", "1"]);
  const only = new Redis(full.port);
  try {
    await only.ping();
    const hangsUp = /^does not answer \(\w+\)\. Check the URL$/;
    expect(await reasonOf(`rediss://127.0.0.1:${secure.port}`, env)).toMatch(hangsUp);
    expect(await reasonOf(full.url)).toMatch(hangsUp);
  } finally {
    only.disconnect();
  }
});

test("workers move to the new primary when the address does", async () => {
  await using server = await hosting();
  await using old = await startRedis();
  await using fresh = await startRedis(["--replicaof", "127.0.0.1", String(old.port)]);
  using address = await movingAddress(old);
  await using desk = await workspace(server.url, 5);
  await using workers = await startWorkers(1, address.url, desk.options);
  expect((await setpoint(["drift", "--queue", address.url], desk.options)).code).toBe(2);
  const [demoted, promoted] = [new Redis(old.port), new Redis(fresh.port)];
  try {
    address.moveTo(fresh);
    await promoted.replicaof("NO", "ONE");
    await demoted.replicaof("127.0.0.1", fresh.port);
    expect((await setpoint(["drift", "--queue", address.url], desk.options)).code).toBe(2);
    expect(workers.said()).toContain("cannot be used (READONLY)");
  } finally {
    demoted.disconnect();
    promoted.disconnect();
  }
});

test.each([
  ["a cluster", ["--cluster-enabled", "yes"], "it is a cluster"],
  ["a replica", ["--replicaof", "127.0.0.1", "1"], "it is a replica"],
  [
    "one that forgets",
    ["--maxmemory-policy", "allkeys-lru"],
    "its maxmemory-policy is allkeys-lru and must be noeviction",
  ],
])("a server that cannot hold a queue is refused, also by workers: %s", async (_case, settings, reason) => {
  await using redis = await startRedis(settings);
  expect(await reasonOf(redis.url)).toBe(`cannot be used (${reason}). A queue needs one server`);
  const { code, out } = await setpoint(["worker", "--queue", redis.url], {
    env: { SETPOINT_HOSTING_TOKEN: "t", SETPOINT_HOSTING_URL: "http://127.0.0.1:1" },
    cwd: (await workspace("http://127.0.0.1:1", 1)).path,
  });
  expect({ code, isRefused: out.includes("SP5008") }).toEqual({ code: 1, isRefused: true });
});

test("a certificate is trusted through SETPOINT_CA_FILE, and TLS and no TLS are distinguished", async () => {
  const { settings, env } = tls();
  await using secure = await startRedis([...settings, "--bind", "127.0.0.1", "127.0.0.2"], "--tls-port");
  await using plain = await startRedis();
  expect(
    await readQueueState(undefined, { SETPOINT_QUEUE: `rediss://127.0.0.1:${secure.port}`, ...env }, goingOn),
  ).toEqual([]);
  const lost = { SETPOINT_QUEUE: `rediss://127.0.0.1:${secure.port}`, SETPOINT_CA_FILE: "/nowhere.pem" };
  expect(await problemsOf(readQueueState(undefined, lost, goingOn))).toMatchObject([{ code: "SP3106" }]);
  expect(await reasonOf(`rediss://127.0.0.1:${secure.port}`)).toBe(
    "does not answer (DEPTH_ZERO_SELF_SIGNED_CERT). Set SETPOINT_CA_FILE or NODE_EXTRA_CA_CERTS to a PEM file with your company's certificate authority",
  );
  expect(await reasonOf(`rediss://127.0.0.2:${secure.port}`, env)).toMatch(
    /^does not answer \(ERR_TLS_CERT_ALTNAME_INVALID/,
  );
  expect(await reasonOf(`redis://setpoint:${encoded}@127.0.0.1:${secure.port}`)).toMatch(
    /^does not answer .* Check the URL$/,
  );
  expect(await reasonOf(`rediss://setpoint:${encoded}@127.0.0.1:${plain.port}`)).toMatch(
    /^does not answer .* Check the URL$/,
  );
});

test("a run does not wait for a server that never answers", async () => {
  await using redis = await startRedis();
  redis.freeze();
  expect(await reasonOf(redis.url)).toBe("does not answer (silent for 15 s). Check the URL");
});

test("a worker says that the queue cannot be used, and continues when it can be used again", async () => {
  await using server = await hosting();
  await using redis = await startRedis();
  await using desk = await workspace(server.url, 5);
  const client = new Redis(redis.port);
  try {
    const worker = start(["worker", "--queue", redis.url, "--json"], desk.options);
    const says = createInterface({ input: worker.stderr })[Symbol.asyncIterator]();
    await createInterface({ input: worker.stdout })[Symbol.asyncIterator]().next();
    await client.config("SET", "maxmemory", "1");
    expect((await says.next()).value).toContain("cannot be used (OOM). Redis has run out of memory or disk space");
    expect((await setpoint(["drift", "--queue", redis.url], desk.options)).out).toContain("cannot be used (OOM)");
    await client.config("SET", "maxmemory", "0");
    expect((await setpoint(["drift", "--queue", redis.url], desk.options)).code).toBe(2);
    worker.kill("SIGKILL");
  } finally {
    client.disconnect();
  }
});

test("a worker stops when it is told to, even without its queue", async () => {
  await using server = await hosting();
  await using desk = await workspace(server.url, 1);
  const redis = await startRedis();
  const worker = start(["worker", "--queue", redis.url], desk.options);
  try {
    await createInterface({ input: worker.stdout })[Symbol.asyncIterator]().next();
    await redis[Symbol.asyncDispose]();
    const told = await createInterface({ input: worker.stderr })[Symbol.asyncIterator]().next();
    expect(told.value).toContain("does not answer");
    worker.kill("SIGTERM");
    expect(await once(worker, "exit")).toEqual([0, null]);
  } finally {
    worker.kill("SIGKILL");
  }
});

test("a worker that was told to stop does not wait for a queue that then goes away", async () => {
  await using server = await hosting({ hold: 1 });
  await using desk = await workspace(server.url, 1);
  const redis = await startRedis();
  const worker = start(["worker", "--queue", redis.url], desk.options);
  const drift = start(["drift", "--queue", redis.url], desk.options);
  try {
    await server.asked(1);
    const says = createInterface({ input: worker.stderr })[Symbol.asyncIterator]();
    worker.kill("SIGTERM");
    await redis[Symbol.asyncDispose]();
    expect((await says.next()).value).toContain("does not answer");
    expect(await once(worker, "exit")).toEqual([0, null]);
  } finally {
    worker.kill("SIGKILL");
    drift.kill("SIGKILL");
  }
});
