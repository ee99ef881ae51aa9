import { createServer } from "node:https";
import { expect, onTestFinished, test } from "vitest";
import { loopbackCertificate } from "../../../support/certificate.ts";
import { listenOnLoopback, problemOf, serveLoopback } from "../../fixtures.ts";
import { open, read, write } from "./open.ts";

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
