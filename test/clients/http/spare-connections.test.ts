import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { createServer, Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { buildConnector } from "undici";
import { expect, onTestFinished, test } from "vitest";
import { openConnection } from "../../../src/clients/connect.ts";
import { withSpares } from "../../../src/clients/http/connections/spare-connections.ts";
import type { EncodedRequest } from "../../../src/clients/http/encode.ts";
import { openTransport } from "../../../src/clients/http/transport.ts";
import { loopbackCertificate } from "../../support/certificate.ts";
import { basicCredentials, listenOnLoopback, serviceOf, testClock } from "../fixtures.ts";

const write: EncodedRequest = { effect: "write", method: "POST", path: "/x", headers: {}, body: "{}" };

/** A server that answers every request with an empty success and records the number of its connection, from 1. */
async function serve() {
  const connections: Socket[] = [];
  const used: number[] = [];
  const server = createServer((socket) => {
    const number = connections.push(socket);
    socket.on("error", () => {});
    socket.on("data", () => {
      used.push(number);
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
    });
  });
  onTestFinished(() => {
    for (const connection of connections) connection.destroy();
  });
  return {
    url: await listenOnLoopback(server),
    used,
    connections,
    async connection(number: number): Promise<Socket> {
      while (connections.length < number) await once(server, "connection");
      const found = connections[number - 1];
      if (found === undefined) throw new Error("no connection");
      return found;
    },
  };
}

/** The same over TLS. */
async function serveEncrypted() {
  const { env, ...tls } = loopbackCertificate();
  const used: number[] = [];
  const connections: Socket[] = [];
  const server = createHttpsServer(tls, ({ socket }, response) => {
    used.push(connections.indexOf(socket) + 1);
    response.end();
  });
  server.on("secureConnection", (socket) => connections.push(socket));
  onTestFinished(() => server.closeAllConnections());
  return { url: (await listenOnLoopback(server)).replace("http:", "https:"), env, used, connections };
}

/** Sends writes through a transport while `state.waiting` others wait for their turn. */
async function writing(waiting: number) {
  const server = await serve();
  const state = { waiting };
  const clock = testClock();
  const transport = openTransport(serviceOf("review", { url: server.url }), {
    mode: "write",
    env: {},
    clock,
    waiting: () => state.waiting,
  });
  return { ...server, state, clock, close: transport.close, send: async () => (await transport.send(write)).is };
}

test("a write with others waiting behind it opens the next connection, on which nothing is sent yet", async () => {
  const { state, used, send, connection, connections, close } = await writing(1);
  expect(await send()).toBe("answered");
  await connection(2);
  expect(used).toEqual([1]);
  expect(await send()).toBe("answered");
  await connection(3);
  state.waiting = 0;
  expect(await send()).toBe("answered");
  expect(used).toEqual([1, 2, 3]);
  expect(connections).toHaveLength(3);
  await close();
});

test("on TLS the next connection completes its handshake before it is used", async () => {
  const { url, env, used, connections } = await serveEncrypted();
  const clock = testClock();
  const transport = openTransport(serviceOf("review", { url }), { mode: "write", env, clock, waiting: () => 1 });
  for (const count of [1, 2, 3]) {
    expect(await transport.send(write)).toMatchObject({ is: "answered" });
    // Until nobody has to connect: the spare connection exists and its timer runs.
    while (connections.length <= count || clock.pending() === 0) await setImmediate();
  }
  expect(used).toEqual([1, 2, 3]);
  await transport.close();
});

/** Sends three writes in sequence and counts connections: when the first write was answered, and at the end. */
async function threeWrites(limits: object, untilAnswer: (second: () => Promise<void>) => Promise<void>) {
  const counts: number[] = [];
  let connections = 0;
  const second = async () => {
    while (connections < 2) await once(server, "connection");
  };
  const server = createHttpServer(async (request, response) => {
    request.resume();
    if (counts.length === 0) {
      await untilAnswer(second);
      counts.push(connections);
    }
    response.writeHead(200, { "content-type": "application/json" }).end(")]}'\n{}");
  });
  server.on("connection", () => connections++);
  onTestFinished(() => server.closeAllConnections());
  const service = serviceOf("review", { url: await listenOnLoopback(server) });
  const connection = openConnection(
    { ...service, limits: { ...service.limits, concurrency: 1, ...limits } },
    { mode: "write", credentials: basicCredentials, env: {} },
  );
  const write = (projectName: string) => connection.call("modifyProjectAccess", { projectName, add: {} });
  await Promise.all(["a", "b", "c"].map(write));
  await connection.close();
  return [...counts, connections];
}

test("while a write is under way the connection of the next one is opened, and none after the last", async () => {
  expect(await threeWrites({}, (second) => second())).toEqual([2, 3]);
});

test("writes that wait for their time get no connection in advance", async () => {
  const turns = async () => {
    for (let turn = 0; turn < 100; turn++) await setImmediate();
  };
  expect(await threeWrites({ requestsPerSecond: 1000 }, turns)).toEqual([1, 3]);
});

test("a write with none waiting behind it opens only its own connection", async () => {
  const { used, send, connections, close } = await writing(0);
  for (let sent = 0; sent < 3; sent++) await send();
  expect(used).toEqual([1, 2, 3]);
  expect(connections).toHaveLength(3);
  await close();
});

test("spare connections are closed with the transport, and nothing is left pending", async () => {
  const { send, connection, clock, close } = await writing(1);
  await send();
  const ended = once(await connection(2), "close");
  while (clock.pending() === 0) await setImmediate();
  await close();
  await ended;
  while (clock.pending() > 0) await setImmediate();
});

/** Connects to a server, with as many spares as wanted. */
async function connecting(wanted: number) {
  const server = await serve();
  const { hostname, port } = new URL(server.url);
  const clock = testClock();
  const made: Socket[] = [];
  const build = buildConnector({});
  const { connect, close } = withSpares(
    (target, done) => {
      const socket: unknown = build(target, done);
      if (socket instanceof Socket) made.push(socket);
      return socket;
    },
    () => wanted,
    clock,
  );
  onTestFinished(() => {
    close();
    for (const socket of made) socket.destroy();
  });
  const connectTo = (host: string) =>
    new Promise<Socket>((resolve, reject) =>
      connect({ protocol: "http:", hostname: host, port }, (error, socket) =>
        error === null ? resolve(socket) : reject(error),
      ),
    );
  return {
    ...server,
    clock,
    made,
    connect: () => connectTo(hostname),
    connectTo,
    /** The connection with that number, once both ends have it. */
    async spare(number: number): Promise<{ here: Socket; there: Socket }> {
      const there = await server.connection(number);
      const here = made[number - 1];
      if (here === undefined) throw new Error("no connection");
      while (here.connecting) await setImmediate();
      return { here, there };
    },
  };
}

type Spare = Awaited<ReturnType<Awaited<ReturnType<typeof connecting>>["spare"]>>;

test.each<[string, (spare: Spare, expire: () => void) => void, (here: Socket) => boolean]>([
  ["the server closed", ({ there }) => there.end(), (here) => here.closed],
  ["the server reset", ({ there }) => there.resetAndDestroy(), (here) => here.closed],
  ["something came on unasked", ({ there }) => there.write("HTTP/1.1 408\r\n\r\n"), (here) => here.readableLength > 0],
  ["nobody took for a second", (_spare, expire) => expire(), (here) => here.closed],
])("a spare connection that %s is not handed out", async (_case, happen, hasHappened) => {
  const { connect, spare, clock, made } = await connecting(1);
  await connect();
  const both = await spare(2);
  happen(both, clock.expire);
  while (!hasHappened(both.here)) await setImmediate();
  expect(await connect()).toBe(made[2]);
  expect(both.here.destroyed).toBe(true);
});

test("a spare connection that was handed out is not closed by its idle timeout", async () => {
  const { connect, spare, clock } = await connecting(1);
  await connect();
  const { here } = await spare(2);
  expect(await connect()).toBe(here);
  clock.expire();
  expect(here.destroyed).toBe(false);
});

test("a spare connection to one host is not handed out for another", async () => {
  const { connect, connectTo, spare } = await connecting(1);
  await connect();
  const { here } = await spare(2);
  expect(await connectTo("localhost")).not.toBe(here);
  expect(await connect()).toBe(here);
});

test("a spare connection that was refused does not count as one", async () => {
  const { connectTo, made } = await connecting(1);
  const refused = async () => {
    await expect(connectTo("127.0.0.2")).rejects.toThrow("ECONNREFUSED");
    for (const socket of made) while (!socket.closed) await setImmediate();
    // Listeners for the end of a socket are called right after this.
    await setImmediate();
  };
  await refused();
  expect(made).toHaveLength(2);
  await refused();
  expect(made).toHaveLength(4);
});

test("no more connections are kept ready than there are waiting writes", async () => {
  const { connect, made } = await connecting(2);
  await Promise.all([connect(), connect(), connect(), connect()]);
  expect(made).toHaveLength(6);
});
