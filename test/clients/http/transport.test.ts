import { createHash } from "node:crypto";
import { getEventListeners } from "node:events";
import { closeSync, mkdtempSync, openSync, readdirSync, readlinkSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createSecureServer as createHttp2Server } from "node:http2";
import { createServer } from "node:https";
import { createServer as createTcpServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { Dispatcher } from "undici";
import { expect, onTestFinished, test } from "vitest";
import type { EncodedRequest } from "../../../src/clients/http/encode.ts";
import { openTransport, type TransportOptions } from "../../../src/clients/http/transport.ts";
import { learn } from "../../../src/core/known-content.ts";
import { loopbackCertificate } from "../../support/certificate.ts";
import { listenOnLoopback, problemOf, serveLoopback, serviceOf, testClock } from "../fixtures.ts";

const read: EncodedRequest = { effect: "read", method: "GET", path: "/x", headers: {} };
const write: EncodedRequest = { effect: "write", method: "POST", path: "/x", headers: {}, body: "{}" };

function open(url: string, over: Partial<TransportOptions> = {}) {
  const transport = openTransport(serviceOf("review", { url }), {
    mode: "write",
    env: {},
    clock: testClock(),
    ...over,
  });
  onTestFinished(() => transport.close());
  return transport;
}

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

test("requests use the proxy of the environment, except those to loopback", async () => {
  const proxied: (string | undefined)[] = [];
  const proxy = await serveLoopback((request, response) => {
    proxied.push(request.url);
    response.end("from the proxy");
  });
  const direct = await serveLoopback((_request, response) => response.end("direct"));
  const env = { HTTP_PROXY: proxy, NO_PROXY: "internal.example.com" };
  await open("http://review.example.com", { env }).send(read);
  const answer = await open(direct, { env }).send(read);
  expect(proxied).toEqual(["http://review.example.com/x"]);
  expect(answer.is === "answered" && answer.answer.body.toString()).toBe("direct");
});

test("a proxy that requires a sign-in says so for the requests that it forwards, too", async () => {
  const proxy = await serveLoopback((_request, response) => response.writeHead(407).end("<html>"));
  expect(await open("http://review.example.com", { env: { HTTP_PROXY: proxy } }).send(write)).toMatchObject({
    is: "final",
    problem: { code: "SP3102", message: expect.stringContaining("(407)"), hint: expect.stringContaining("password") },
  });
});

test("a proxy setting that is not a URL is a problem that does not show its password", async () => {
  const problem = await problemOf(Promise.resolve().then(() => open("http://h", { env: { HTTP_PROXY: "a:pa55:b" } })));
  expect(problem.code).toBe("SP3102");
  expect(JSON.stringify(problem)).not.toContain("pa55");
});

test("a certificate is trusted by SETPOINT_CA_FILE and not without", async () => {
  const { env, ...tls } = loopbackCertificate();
  const server = createServer(tls, (_request, response) => {
    response.end("trusted");
  });
  onTestFinished(() => server.closeAllConnections());
  const url = (await listenOnLoopback(server)).replace("http:", "https:");

  expect(await open(url).send(write)).toMatchObject({ is: "final", problem: { code: "SP3106" } });
  expect(await open(url, { env }).send(write)).toMatchObject({ is: "answered" });
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

test("a SETPOINT_CA_FILE that cannot be read is a problem that names it", async () => {
  const env = { SETPOINT_CA_FILE: "/nowhere/ca.pem" };
  const problem = await problemOf(Promise.resolve().then(() => open("https://h", { env })));
  expect(problem).toMatchObject({ code: "SP3106", message: expect.stringContaining("/nowhere/ca.pem") });
});

test("a SETPOINT_CA_FILE without a certificate is a problem that names it; an empty one is not set", async () => {
  const { keyFile } = loopbackCertificate().files;
  const problem = await problemOf(
    Promise.resolve().then(() => open("https://h", { env: { SETPOINT_CA_FILE: keyFile } })),
  );
  expect(problem).toMatchObject({ code: "SP3106", message: expect.stringContaining(keyFile) });
  expect(() => open("https://h", { env: { SETPOINT_CA_FILE: "" } })).not.toThrow();
});

/** The size of one read. */
const block = 2 * 1024 * 1024;

/** A file of which no two blocks are the same. */
function fileOf(bytes: number) {
  const folder = mkdtempSync(join(tmpdir(), "setpoint-body-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "app.jar");
  const words = new Uint32Array(bytes / 4);
  // Not `Uint32Array.from`, which takes a second for so many.
  for (let at = 0; at < words.length; at++) words[at] = at * 2_654_435_761;
  const content = Buffer.from(words.buffer);
  writeFileSync(file, content);
  return { content, body: { file, sha256: createHash("sha256").update(content).digest("hex") } };
}

/** Additional bytes that give each test of a proof its own content, since content that was read once stays known. */
const sizes = { tag: 0, checksum: 4, none: 8 };

/** How a file is proven to be the intended one. */
type Proof = "tag" | "checksum";

/** The body of a file with a stated checksum; with a tag if this process has already read it. */
async function statedBody(bytes: number, proof: Proof) {
  const { content, body } = fileOf(bytes);
  if (proof === "tag") await learn((take) => take(Readable.from([content])));
  return { content, body };
}

test.each([
  ["with the tag of what was read before", "tag"],
  ["with a checksum", "checksum"],
  ["without a checksum", undefined],
] as const)("a file of many blocks arrives unchanged, %s", async (_case, proof) => {
  const { content, body } = await statedBody(6 * block + sizes[proof ?? "none"], proof ?? "checksum");
  const arrived = createHash("sha256");
  const url = await serveLoopback((request, response) => {
    // Reads more slowly than the sender writes, so that blocks queue up.
    request.on("data", (chunk: Buffer) => {
      arrived.update(chunk);
      request.pause();
      setImmediate(() => request.resume());
    });
    request.on("end", () => response.end());
  });
  const sent = await open(url).send({ ...write, body: proof === undefined ? { file: body.file } : body });
  expect(sent).toMatchObject({ is: "answered" });
  expect(arrived.digest("hex")).toBe(createHash("sha256").update(content).digest("hex"));
});

test("a block of a file that a foreign dispatcher keeps is not overwritten", async () => {
  const { content, body } = fileOf(6 * block);
  const kept: Buffer[] = [];
  class Keeper extends Dispatcher {
    override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
      const { body: stream } = options;
      if (!(stream instanceof Readable)) throw new Error("no stream");
      stream.on("data", (chunk: Buffer) => kept.push(chunk));
      stream.on("end", () => handler.onResponseError?.({ ...controller }, new Error("kept")));
      return true;
    }
  }
  const controller = {
    aborted: false,
    paused: false,
    reason: null,
    abort: () => {},
    pause: () => {},
    resume: () => {},
  };
  await open("http://h.example.com", { dispatcher: new Keeper() }).send({ ...write, body });
  expect(Buffer.concat(kept).equals(content)).toBe(true);
});

test.each(["tag", "checksum"] as const)("a file that became shorter is not stored, thanks to its %s", async (proof) => {
  const { content, body } = await statedBody(block + sizes[proof], proof);
  let arrived = 0;
  const url = await serveLoopback((request, response) => {
    request.on("data", (chunk: Buffer) => {
      arrived += chunk.length;
    });
    request.on("end", () => response.end());
    request.on("error", () => {});
  });
  const transport = open(url);
  const isSent = transport.send({ ...write, body });
  writeFileSync(body.file, content.subarray(0, 10));
  expect(await problemOf(isSent)).toMatchObject({ code: "SP4003" });
  expect(arrived).toBe(0);
});

test.each(["tag", "checksum"] as const)(
  "a file that changes while it is sent is not stored, thanks to its %s",
  async (proof) => {
    const { content, body } = await statedBody(6 * block + sizes[proof], proof);
    let arrived = 0;
    const url = await serveLoopback((request, response) => {
      request.once("data", () => {
        // Beyond the block being sent and those queued: only the last byte changes, so the size stays.
        const file = openSync(body.file, "r+");
        writeSync(file, Buffer.of(1), 0, 1, content.length - 1);
        closeSync(file);
      });
      request.on("data", (chunk: Buffer) => {
        arrived += chunk.length;
      });
      request.on("end", () => response.end());
      request.on("error", () => {});
    });
    expect(await problemOf(open(url).send({ ...write, body }))).toMatchObject({ code: "SP4003" });
    expect(arrived).toBeLessThan(content.length);
  },
);

test.runIf(process.platform === "linux").each([
  ["before it is sent", "unsent"],
  ["while it is sent", "lost"],
])("a file is closed if its request ends %s", async (_case, is) => {
  const { body } = fileOf(6 * block);
  const url = await serveLoopback((request) => request.once("data", () => request.socket.destroy()));
  const target = is === "unsent" ? url.replace(/\d+$/, "1") : url;
  expect(await open(target).send({ ...write, body })).toMatchObject({ is });
  await expect.poll(() => openFiles().filter((path) => path === body.file)).toEqual([]);
});

/** The files that this process has open. A descriptor might be closed while they are listed. */
function openFiles(): readonly string[] {
  return readdirSync("/proc/self/fd").flatMap((name) => {
    try {
      return [readlinkSync(join("/proc/self/fd", name))];
    } catch {
      return [];
    }
  });
}
