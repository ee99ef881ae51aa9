import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { connect, type Socket } from "node:net";
import { pipeline } from "node:stream";
import { createServer as createTlsServer } from "node:tls";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { loopbackCertificate } from "../support/certificate.ts";
import { lock, type Serving, serve, setpoint, temporaryFolder } from "../support/commands.ts";

let sandbox: Serving;
beforeAll(async () => {
  sandbox = await serve([]);
});
afterAll(() => sandbox[Symbol.asyncDispose]());

/** A TLS proxy that connects every host to the sandbox, if it accepts the request. */
async function proxyTo(tls: { readonly key: Buffer; readonly cert: Buffer }, refusal?: number) {
  const service = await listen(
    createTlsServer(tls, (socket) => join(socket, connect(Number(new URL(sandbox.url).port), "127.0.0.1"))),
  );
  const asked: string[] = [];
  const proxy = createServer();
  proxy.on("connect", ({ url = "" }, socket: Socket) => {
    asked.push(url);
    if (refusal !== undefined) socket.end(`HTTP/1.1 ${refusal} No\r\ncontent-length: 0\r\n\r\n`);
    else {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      join(socket, connect(service, "127.0.0.1"));
    }
  });
  return { url: `http://127.0.0.1:${await listen(proxy)}`, asked };
}

function join(one: Socket, other: Socket): void {
  pipeline(one, other, () => {});
  pipeline(other, one, () => {});
}

/** The port of the proxy. */
async function listen(server: Server | ReturnType<typeof createTlsServer>): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  return typeof address === "object" ? (address?.port ?? 0) : 0;
}

test.each([
  [undefined, "Apply would make 1 call: 1 × review.modifyProjectAccess."],
  [407, "Put the user and password of the proxy into HTTPS_PROXY"],
  [403, "Check the service's url, and that the proxy lets its host and port through"],
])("a plan uses the proxy of the environment; one that refuses (%s) comes with a hint", async (refusal, said) => {
  const { env: trust, ...tls } = loopbackCertificate("DNS:review.example.com");
  const proxy = await proxyTo(tls, refusal);
  await using folder = await temporaryFolder();
  const url = "https://review.example.com/review";
  await folder.write(
    "setpoint.yaml",
    `version: 1\nservices: { review: { type: gerrit, url: "${url}", limits: { timeout: 2m } } }\n`,
  );
  await folder.write("manifests/locks.yaml", lock("platform/core", "release-2.4"));
  const account = { SETPOINT_REVIEW_USERNAME: "admin", SETPOINT_REVIEW_PASSWORD: "secret", SETPOINT_REVIEW_URL: url };
  const { code, out } = await setpoint(["plan"], {
    env: { ...trust, ...account, HTTPS_PROXY: proxy.url },
    cwd: folder.path,
  });
  expect({ code, out }).toEqual({ code: refusal === undefined ? 0 : 3, out: expect.stringContaining(said) });
  expect(new Set(proxy.asked)).toEqual(new Set(["review.example.com:443"]));
});
