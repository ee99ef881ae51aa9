import { getEventListeners } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { createSecureServer as createHttp2Server } from "node:http2";
import { createServer as createTcpServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { openTransport } from "../../../../src/clients/http/transport.ts";
import { loopbackCertificate } from "../../../support/certificate.ts";
import { listenOnLoopback, problemOf, serveLoopback, serviceOf, testClock } from "../../fixtures.ts";
import { open, read, write } from "./open.ts";

test("a write is refused in mode read, and nothing is sent", async () => {
  let received = 0;
  const url = await serveLoopback((_request, response) => {
    received += 1;
    response.end();
  });
  const transport = open(url, { mode: "read" });
  expect(await problemOf(transport.send(write))).toMatchObject({ code: "SP4004" });
  expect(received).toBe(0);
  expect(transport.requests).toEqual({ reads: 0, writes: 0 });
  await transport.send(read);
  expect(transport.requests).toEqual({ reads: 1, writes: 0 });
});

test("a redirect is an answer and is not followed", async () => {
  const paths: (string | undefined)[] = [];
  const url = await serveLoopback((request, response) => {
    paths.push(request.url);
    response.writeHead(302, { location: "/login" }).end();
  });
  expect(await open(url).send(read)).toMatchObject({ is: "answered", answer: { status: 302 } });
  expect(paths).toEqual(["/x"]);
});

test("a refused connection has sent nothing", async () => {
  const url = await serveLoopback(() => {});
  const closed = url.replace(/\d+$/, "1");
  expect(await open(closed).send(write)).toMatchObject({ is: "unsent", problem: { code: "SP3102" } });
});

test("a request after close() is told so, and not tried again", async () => {
  const transport = open(await serveLoopback((_request, response) => response.end()));
  await transport.close();
  expect(await transport.send(read)).toMatchObject({
    is: "final",
    problem: { code: "SP3102", message: expect.stringContaining("has closed its connection") },
  });
});

test("a connection that ends before its TLS handshake has sent nothing", async () => {
  const server = createTcpServer((socket) => socket.destroy());
  const url = (await listenOnLoopback(server)).replace("http:", "https:");
  expect(await open(url).send(write)).toMatchObject({ is: "unsent", problem: { code: "SP3102" } });
});

test.each([
  ["server", undefined],
  ["proxy", "http://review.example.com"],
])(
  "a connection that the %s closes while idle loses no write, and counts as an attempt of a read",
  async (_end, beyond) => {
    const received: string[] = [];
    const server = createTcpServer((socket) => {
      // The next request on this connection meets a closed one.
      socket.once("data", (bytes) => {
        received.push(bytes.toString("latin1").split(" ", 1)[0] ?? "");
        socket.write("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
        socket.once("data", () => socket.resetAndDestroy());
      });
      socket.on("error", () => {});
    });
    const url = await listenOnLoopback(server);
    const transport = open(beyond ?? url, beyond === undefined ? {} : { env: { HTTP_PROXY: url } });
    const sent: string[] = [];
    for (const request of [read, write, read, write, read]) sent.push((await transport.send(request)).is);
    expect(sent).toEqual(["answered", "answered", "lost", "answered", "answered"]);
    expect(received).toEqual(["GET", "POST", "POST", "GET"]);
  },
);

test("a connection that is reset before the answer loses the answer", async () => {
  const url = await serveLoopback((request) => request.socket.destroy());
  expect(await open(url).send(write)).toMatchObject({ is: "lost", problem: { code: "SP3102" } });
});

test.each([
  ["shorter than announced", { "content-length": "100" }],
  ["without its last chunk", {}],
])("a body %s is incomplete and never an answer", async (_case, headers) => {
  const url = await serveLoopback((request, response) => {
    response.writeHead(200, { ...headers, "content-type": "application/json" });
    response.write('{"complete": true}', () => request.socket.destroy());
  });
  expect(await open(url).send(read)).toMatchObject({ is: "lost", problem: { code: "SP3104" } });
});

test.each(["the answer", "the rest of the answer"])("waiting for %s ends at the timeout", async (what) => {
  const clock = testClock();
  const url = await serveLoopback((_request, response) => {
    if (what === "the answer") clock.expire();
    else response.write("[", () => clock.expire());
  });
  expect(await open(url, { clock }).send(read)).toMatchObject({ is: "lost", problem: { code: "SP3101" } });
});

test("an interrupt ends a request that is under way", async () => {
  const controller = new AbortController();
  const url = await serveLoopback(() => controller.abort());
  const attempt = await open(url, { signal: controller.signal }).send(write);
  expect(attempt).toMatchObject({ is: "lost", problem: { code: "SP5003" } });
});

test.each(["late", "interrupted"])(
  "a request is %s even while its proxy keeps it waiting for a connection",
  async (why) => {
    const asked = Promise.withResolvers<void>();
    const proxy = createHttpServer().on("connect", (_request, socket) => {
      onTestFinished(() => void socket.destroy());
      asked.resolve();
    });
    const [clock, interrupt] = [testClock(), new AbortController()];
    const env = { HTTPS_PROXY: await listenOnLoopback(proxy) };
    const transport = open("https://review.example.com", { env, clock, signal: interrupt.signal });
    const sent = transport.send(write);
    await asked.promise;
    if (why === "late") clock.expire();
    else interrupt.abort();
    expect(await sent).toMatchObject({ is: "unsent", problem: { code: why === "late" ? "SP3101" : "SP5003" } });
    await transport.close();
  },
);

test("one listener tells all requests about an interrupt, and is removed with the transport", async () => {
  const controller = new AbortController();
  const arrived: (() => void)[] = [];
  const url = await serveLoopback((_request, response) => {
    if (arrived.push(() => response.end()) === 3) for (const answer of arrived) answer();
  });
  const options = { mode: "read", env: {}, clock: testClock(), signal: controller.signal } as const;
  const transport = openTransport(serviceOf("review", { url }), options);
  const listeners = () => getEventListeners(controller.signal, "abort").length;
  const answers = [read, read, read].map((request) => transport.send(request));
  expect(listeners()).toBe(1);
  expect((await Promise.all(answers)).map(({ is }) => is)).toEqual(["answered", "answered", "answered"]);
  await transport.close();
  expect(listeners()).toBe(0);
});

test.each(["answered", "lost"])("a request that is %s leaves no timeout behind", async (is) => {
  const left = new Set<number>();
  let count = 0;
  const clock = {
    ...testClock(),
    timeout: () => {
      const one = count++;
      left.add(one);
      return () => left.delete(one);
    },
  };
  const url = await serveLoopback((request, response) => {
    if (is === "lost") request.socket.destroy();
    else response.end();
  });
  expect(await open(url, { clock }).send(read)).toMatchObject({ is });
  expect([count, left.size]).toEqual([1, 0]);
});

test("an informational response before the answer is not the answer", async () => {
  const url = await serveLoopback((request, response) => {
    response.writeEarlyHints({ link: "</style.css>; rel=preload" }, () => request.socket.end());
  });
  // The answer itself has not begun.
  expect(await open(url).send(read)).toMatchObject({ is: "lost", problem: { code: "SP3102" } });
});

test.each([
  [
    "the greeting of another kind of server",
    "SSH-2.0-OpenSSH_9.2\r\n",
    "is not valid HTTP",
    "https: is for a port with TLS",
  ],
  ["a 100 that was not asked for", "HTTP/1.1 100 Continue\r\n\r\n", "is not valid HTTP", "Another kind of server"],
  [
    "two lengths",
    "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
    "is not valid HTTP",
    "Another",
  ],
  [
    "endless header fields",
    `HTTP/1.1 200 OK\r\nX: ${"x".repeat(20_000)}\r\n\r\n`,
    "too long",
    "--max-http-header-size",
  ],
])("%s is no answer, and the connection was not lost", async (_what, bytes, says, hint) => {
  const server = createTcpServer((socket) => socket.once("data", () => socket.end(bytes)).on("error", () => {}));
  const transport = open(await listenOnLoopback(server));
  const problem = { code: "SP3103", message: expect.stringContaining(says), hint: expect.stringContaining(hint) };
  expect(await transport.send(write)).toMatchObject({ is: "lost", problem });
});

test("after an interrupt nothing is sent", async () => {
  const transport = open("http://127.0.0.1:1", { signal: AbortSignal.abort() });
  expect(await transport.send(write)).toMatchObject({ is: "unsent", problem: { code: "SP5003" } });
  expect(transport.requests).toEqual({ reads: 0, writes: 0 });
});

test("an answer above 64 MiB is not read to its end", async () => {
  const piece = Buffer.alloc(1024 * 1024);
  const url = await serveLoopback((request, response) => {
    const pour = () => {
      while (!request.socket.destroyed && response.write(piece));
    };
    response.on("drain", pour);
    pour();
  });
  expect(await open(url).send(read)).toMatchObject({ is: "final", problem: { code: "SP3103" } });
});

test("reads share one HTTP/2 connection if the service supports it; each write has its own HTTP/1.1 connection", async () => {
  const { env, ...tls } = loopbackCertificate();
  const seen: string[] = [];
  const server = createHttp2Server({ ...tls, allowHTTP1: true }, (request, response) => {
    seen.push(`${request.method} ${request.httpVersion}`);
    response.end("answer");
  });
  let connections = 0;
  server.on("secureConnection", () => connections++);
  const url = (await listenOnLoopback(server)).replace("http:", "https:");
  const transport = open(url, { env });
  // They wait for the first connection, which tells which protocol the service speaks.
  const answers = await Promise.all(Array.from({ length: 8 }, () => transport.send(read)));
  for (const one of answers) expect(one.is === "answered" && String(one.answer.body)).toBe("answer");
  await transport.send(write);
  await transport.send(write);
  expect(seen.toSorted()).toEqual([...Array(8).fill("GET 2.0"), "POST 1.1", "POST 1.1"]);
  expect(connections).toBe(3);
});
