import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer as createProxy } from "node:http";
import { createServer, type ServerOptions } from "node:https";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pipeline } from "node:stream";
import { TLSSocket } from "node:tls";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Environment } from "../../src/clients/credentials/credentials.ts";
import type { EncodedRequest } from "../../src/clients/http/encode.ts";
import { openTransport } from "../../src/clients/http/transport.ts";
import { loopbackCertificate } from "../support/certificate.ts";
import { listenOnLoopback, problemOf, serveLoopback, serviceOf, testClock } from "./fixtures.ts";

const write: EncodedRequest = { effect: "write", method: "POST", path: "/x", headers: {}, body: "{}" };
const read: EncodedRequest = { effect: "read", method: "GET", path: "/x", headers: {} };

function open(url: string, env: Environment) {
  const transport = openTransport(serviceOf("review", { url }), { mode: "write", env, clock: testClock() });
  onTestFinished(() => transport.close());
  return transport;
}

/** The variables that name a certificate and its key. */
const shown = (url: string, { certFile, keyFile }: { certFile: string; keyFile: string }) => ({
  SETPOINT_REVIEW_URL: url,
  SETPOINT_REVIEW_CLIENT_CERT: certFile,
  SETPOINT_REVIEW_CLIENT_KEY: keyFile,
});

/** A server that asks for a certificate; it refuses a connection without one that `trusted` signs, if that is given. */
async function askingServer({
  trusted,
  redirect,
  tls = loopbackCertificate(),
}: {
  trusted?: Buffer;
  redirect?: string;
  tls?: ReturnType<typeof loopbackCertificate>;
}) {
  const strict = { rejectUnauthorized: trusted !== undefined, ...(trusted && { ca: trusted }) };
  const seen: (string | undefined)[] = [];
  const server = createServer({ key: tls.key, cert: tls.cert, requestCert: true, ...strict }, (request, response) => {
    const { socket } = request;
    seen.push(socket instanceof TLSSocket ? socket.getPeerCertificate().subjectaltname : undefined);
    response.writeHead(redirect === undefined ? 200 : 302, redirect === undefined ? {} : { location: redirect });
    response.end("answer");
  });
  onTestFinished(() => server.closeAllConnections());
  return { url: (await listenOnLoopback(server)).replace("http:", "https:"), env: tls.env, seen };
}

/** A server that accepts what clients no longer do. */
async function outdatedServer(options: ServerOptions) {
  const server = createServer({ ...options, ciphers: "DEFAULT@SECLEVEL=0" }, (_request, response) => response.end());
  return (await listenOnLoopback(server)).replace("http:", "https:");
}

/** OpenSSL's own server, which, unlike Node's, says why it refuses a client. */
async function opensslServer(version: string, trustedFile: string) {
  const { env, files } = loopbackCertificate();
  const only = `-tls${version.replace(".", "_")}`;
  const keys = ["-key", files.keyFile, "-cert", files.certFile, "-CAfile", trustedFile];
  const server = spawn("openssl", [
    "s_server",
    "-accept",
    "127.0.0.1:0",
    only,
    "-Verify",
    "1",
    "-verify_return_error",
    ...keys,
  ]);
  onTestFinished(() => void server.kill("SIGKILL"));
  for await (const line of createInterface(server.stdout)) {
    const port = /^ACCEPT .*:(\d+)$/.exec(line)?.[1];
    if (port !== undefined) return { url: `https://127.0.0.1:${port}`, env };
  }
  throw new Error("openssl s_server did not start");
}

/** An HTTP proxy that leads to the port, whatever host is asked for. */
async function tunnelTo(port: string) {
  const proxy = createProxy();
  proxy.on("connect", (_request, socket: Socket) => {
    socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
    const upstream = connect(Number(port), "127.0.0.1");
    pipeline(socket, upstream, socket, () => {});
  });
  onTestFinished(() => proxy.closeAllConnections());
  return listenOnLoopback(proxy);
}

describe("a server that requires a client certificate", () => {
  test("is shown the one that the environment names", async () => {
    const { cert, files } = loopbackCertificate("DNS:setpoint.example.com");
    const { url, env, seen } = await askingServer({ trusted: cert });
    const transport = open(url, { ...env, ...shown(url, files) });
    expect(await transport.send(write)).toMatchObject({ is: "answered", answer: { status: 200 } });
    expect(await transport.send(read)).toMatchObject({ is: "answered", answer: { status: 200 } });
    expect(seen).toEqual(["DNS:setpoint.example.com", "DNS:setpoint.example.com"]);
  });

  test("is shown it through a proxy as well", async () => {
    const { cert, files } = loopbackCertificate("DNS:setpoint.example.com");
    const tls = loopbackCertificate("DNS:review.example.com");
    const { url, env, seen } = await askingServer({ trusted: cert, tls });
    const proxied = { ...env, HTTPS_PROXY: await tunnelTo(new URL(url).port) };
    const transport = open("https://review.example.com", { ...proxied, ...shown("https://review.example.com", files) });
    expect(await transport.send(write)).toMatchObject({ is: "answered", answer: { status: 200 } });
    expect(seen).toEqual(["DNS:setpoint.example.com"]);
  });

  test.each([
    ["1.2", "without one", "refused the TLS handshake: it may require a client certificate", false],
    ["1.3", "without one", "requires a client certificate", false],
    ["1.2", "with one that it does not trust", "does not accept the client certificate", true],
    ["1.3", "with one that it does not trust", "does not accept the client certificate", true],
  ])("says so over TLS %s %s, and which variables to set", async (version, _case, what, hasOne) => {
    const { url, env } = await opensslServer(version, loopbackCertificate("DNS:other.example.com").files.certFile);
    const { files } = loopbackCertificate("DNS:setpoint.example.com");
    const sent = await open(url, { ...env, ...(hasOne ? shown(url, files) : {}) }).send(write);
    expect(sent).toMatchObject({
      is: "final",
      problem: {
        code: "SP3106",
        message: expect.stringContaining(`${url} ${what}`),
        hint: expect.stringContaining("SETPOINT_<SERVICE>_CLIENT_CERT"),
      },
    });
  });
});

test("a certificate for another host is described by the names that it is for", async () => {
  const { url, env } = await askingServer({ tls: loopbackCertificate("DNS:other.example.com,DNS:second.example.com") });
  expect(await open(url, env).send(write)).toMatchObject({
    is: "final",
    problem: {
      code: "SP3106",
      message: `The certificate of ${url} is for DNS:other.example.com, DNS:second.example.com (ERR_TLS_CERT_ALTNAME_INVALID).`,
      hint: expect.stringContaining("another host"),
    },
  });
});

test("a certificate whose key is too weak for OpenSSL is refused in OpenSSL's words, not called a lost connection", async () => {
  // Too short for each version of Node: 22 accepts 1024 bits.
  const weak = loopbackCertificate("IP:127.0.0.1", "rsa:768");
  const url = await outdatedServer({ key: weak.key, cert: weak.cert });
  expect(await open(url, weak.env).send(write)).toMatchObject({
    is: "final",
    problem: {
      code: "SP3106",
      message: `The certificate of ${url} is not trusted: EE certificate key too weak (UNSPECIFIED).`,
      hint: expect.stringContaining("2048 bits"),
    },
  });
});

test("a server with nothing newer than TLS 1.1 is named as such", async () => {
  const { key, cert, env } = loopbackCertificate();
  const url = await outdatedServer({ key, cert, minVersion: "TLSv1", maxVersion: "TLSv1.1" });
  expect(await open(url, env).send(write)).toMatchObject({
    is: "final",
    problem: {
      code: "SP3102",
      message: expect.stringContaining("speaks no TLS that this machine accepts"),
      hint: expect.stringContaining("TLS 1.2"),
    },
  });
});

test("a server without TLS at an https URL is named as such", async () => {
  const url = await serveLoopback((_request, response) => response.end());
  expect(await open(url.replace("http:", "https:"), {}).send(write)).toMatchObject({
    is: "final",
    problem: {
      code: "SP3102",
      message: expect.stringContaining("does not speak TLS"),
      hint: expect.stringContaining("http:"),
    },
  });
});

test("a server that a download is redirected to is not shown the certificate", async () => {
  const { cert, files } = loopbackCertificate("DNS:setpoint.example.com");
  const tls = loopbackCertificate();
  const storage = await askingServer({ tls });
  const { url, env, seen } = await askingServer({ trusted: cert, tls, redirect: `${storage.url}/file` });
  const folder = mkdtempSync(join(tmpdir(), "setpoint-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const to = join(folder, "file");
  const sent = await open(url, { ...env, ...shown(url, files) }).send(read, to);
  expect(sent).toMatchObject({ is: "answered", answer: { status: 200, saved: { path: to, bytes: 6 } } });
  expect([seen, storage.seen]).toEqual([["DNS:setpoint.example.com"], [undefined]]);
});

describe("a certificate that cannot be used is refused before anything is sent:", () => {
  const files = { certFile: "/nowhere/cert.pem", keyFile: "/nowhere/key.pem" };
  const bound = { SETPOINT_REVIEW_URL: "https://review.example.com" };

  test.each([
    [
      "without its key",
      { ...bound, SETPOINT_REVIEW_CLIENT_CERT: files.certFile },
      { code: "SP3001", message: "SETPOINT_REVIEW_CLIENT_CERT is set, but SETPOINT_REVIEW_CLIENT_KEY is not." },
    ],
    [
      "a key without its certificate",
      { ...bound, SETPOINT_REVIEW_CLIENT_KEY: files.keyFile },
      { code: "SP3001", message: "SETPOINT_REVIEW_CLIENT_KEY is set, but SETPOINT_REVIEW_CLIENT_CERT is not." },
    ],
    [
      "a file that cannot be read",
      shown(bound.SETPOINT_REVIEW_URL, files),
      { code: "SP3001", message: "/nowhere/cert.pem cannot be read: there is no such file." },
    ],
    [
      "bound to another address",
      shown("https://elsewhere.example.com", files),
      { code: "SP3002", hint: expect.stringContaining("SETPOINT_REVIEW_URL") },
    ],
    [
      "bound to none",
      { SETPOINT_REVIEW_CLIENT_CERT: files.certFile, SETPOINT_REVIEW_CLIENT_KEY: files.keyFile },
      { code: "SP3002", hint: expect.stringContaining("SETPOINT_REVIEW_URL") },
    ],
  ])("%s", async (_case, env, problem) => {
    const opened = Promise.resolve().then(() => open("https://review.example.com", env));
    expect(await problemOf(opened)).toMatchObject(problem);
  });

  test("the key of another certificate", async () => {
    const { certFile } = loopbackCertificate().files;
    const { keyFile } = loopbackCertificate("DNS:other.example.com").files;
    const env = shown(bound.SETPOINT_REVIEW_URL, { certFile, keyFile });
    const opened = Promise.resolve().then(() => open(bound.SETPOINT_REVIEW_URL, env));
    expect(await problemOf(opened)).toMatchObject({ code: "SP3001", message: expect.stringContaining(keyFile) });
  });
});
