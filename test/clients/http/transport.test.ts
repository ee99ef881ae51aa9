import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import { createServer as createTcpServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { EncodedRequest } from "../../../src/clients/http/encode.ts";
import { openTransport, type TransportOptions } from "../../../src/clients/http/transport.ts";
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

test("a refused connection sent nothing", async () => {
  const url = await serveLoopback(() => {});
  const closed = url.replace(/\d+$/, "1");
  expect(await open(closed).send(write)).toMatchObject({ is: "unsent", problem: { code: "SP3102" } });
});

test("a connection that ends before it is encrypted sent nothing", async () => {
  const server = createTcpServer((socket) => socket.destroy());
  const url = (await listenOnLoopback(server)).replace("http:", "https:");
  expect(await open(url).send(write)).toMatchObject({ is: "unsent", problem: { code: "SP3102" } });
});

test.each([
  ["server", undefined],
  ["proxy", "http://review.example.com"],
])(
  "a connection that the %s closes while it is idle loses no write, and is an attempt of a read",
  async (_end, beyond) => {
    const received: string[] = [];
    const server = createTcpServer((socket) => {
      // The next request on the connection meets a closed one.
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

test("a connection that is reset before the answer lost it", async () => {
  const url = await serveLoopback((request) => request.socket.destroy());
  expect(await open(url).send(write)).toMatchObject({ is: "lost", problem: { code: "SP3102" } });
});

test.each([
  ["shorter than announced", { "content-length": "100" }],
  ["without its last chunk", {}],
])("a body %s is incomplete, never an answer", async (_case, headers) => {
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

test("requests go through the proxy of the environment, but never those to loopback", async () => {
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

test("a proxy that is no URL is a problem that does not show its password", async () => {
  const problem = await problemOf(Promise.resolve().then(() => open("http://h", { env: { HTTP_PROXY: "a:pa55:b" } })));
  expect(problem.code).toBe("SP3102");
  expect(JSON.stringify(problem)).not.toContain("pa55");
});

test("a certificate is trusted by SETPOINT_CA_FILE and not without", async () => {
  const folder = mkdtempSync(join(tmpdir(), "setpoint-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const request = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost";
  const names = ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", cert];
  execFileSync("openssl", [...request.split(" "), ...names], { stdio: "ignore" });
  const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_request, response) => {
    response.end("trusted");
  });
  onTestFinished(() => server.closeAllConnections());
  const url = (await listenOnLoopback(server)).replace("http:", "https:");

  expect(await open(url).send(write)).toMatchObject({ is: "final", problem: { code: "SP3106" } });
  expect(await open(url, { env: { SETPOINT_CA_FILE: cert } }).send(write)).toMatchObject({ is: "answered" });
});

test("a SETPOINT_CA_FILE that cannot be read is a problem that names it", async () => {
  const env = { SETPOINT_CA_FILE: "/nowhere/ca.pem" };
  const problem = await problemOf(Promise.resolve().then(() => open("https://h", { env })));
  expect(problem).toMatchObject({ code: "SP3106", message: expect.stringContaining("/nowhere/ca.pem") });
});

test.runIf(process.platform === "linux")("a file is closed if its request ends before it is sent", async () => {
  const folder = mkdtempSync(join(tmpdir(), "setpoint-body-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "app.jar");
  writeFileSync(file, "content");
  const closed = (await serveLoopback(() => {})).replace(/\d+$/, "1");
  const body = { file, sha256: createHash("sha256").update("content").digest("hex") };
  expect(await open(closed).send({ ...write, body })).toMatchObject({ is: "unsent" });
  await expect.poll(() => openFiles().filter((path) => path === file)).toEqual([]);
});

/** What this process has open. A descriptor may be closed while they are listed. */
function openFiles(): readonly string[] {
  return readdirSync("/proc/self/fd").flatMap((name) => {
    try {
      return [readlinkSync(join("/proc/self/fd", name))];
    } catch {
      return [];
    }
  });
}
