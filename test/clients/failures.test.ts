import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { openConnection } from "../../src/clients/connect.ts";
import type { ProblemCode } from "../../src/core/problem.ts";
import { variableOf } from "../../src/core/service.ts";
import { mockHttp } from "../support/http-mock.ts";
import { roles } from "../support/roles.ts";
import { problemOf, serviceOf, testClock } from "./fixtures.ts";
import { examples } from "./services.ts";

const mock = mockHttp();

const json = "application/json";

const codes: readonly (readonly [number, ProblemCode])[] = [
  [400, "SP3007"],
  [401, "SP3003"],
  [403, "SP3004"],
  [404, "SP3005"],
  [409, "SP3007"],
  [410, "SP3007"],
  [412, "SP3007"],
  [422, "SP3007"],
  [429, "SP3008"],
  [500, "SP3009"],
  [501, "SP3009"],
  [503, "SP3009"],
];

describe.each(roles)("%s", (role) => {
  const client = examples[role].exchange;
  const service = serviceOf(role);
  const [operation, args] = client.read;

  function answers(status: number, body: string, headers: Record<string, string>, times = 1) {
    const interceptor = mock(service.url).intercept(client.path, client.method);
    interceptor.times(times).reply(status, body, headers);
  }
  function call(clock = testClock()) {
    return openConnection(service, { mode: "read", credentials: client.credentials, clock }).call(operation, args);
  }

  test.each(codes)("%i is %s with the service's own words", async (status, code) => {
    const { body, type } = client.error(status, "Not that way.");
    answers(status, body, { "content-type": type }, status === 429 || (status >= 500 && status !== 501) ? 4 : 1);
    const problem = await problemOf(call());
    expect(problem).toMatchObject({ code, service: role, operation, hint: expect.any(String) });
    expect(problem.message).toContain("Not that way.");
  });

  test.each([
    [413, "raise the limit of the service, or of a proxy in front of it"],
    [414, "in that of a proxy in front of it"],
  ])("%i with a page of a web server says what to do", async (status, hint) => {
    answers(status, "<html><head><title>nginx</title></head><h1>Oops</h1>", { "content-type": "text/html" });
    expect(await problemOf(call())).toMatchObject({ code: "SP3007", hint: expect.stringContaining(hint) });
  });

  test.each([
    ["nothing", "", "text/plain"],
    ["a web server's page", "<!DOCTYPE html><title>404 Not Found</title><h1>Oops", "text/html"],
    ["a proxy's text", "404 page not found\n", "text/plain; charset=utf-8"],
    ["a web server's text", "Not Found", "text/plain;charset=iso-8859-1"],
    ["a gateway's JSON", '{"message":"no Route matched"}', json],
    ["another API's JSON", '{"error":"not found"}', json],
  ])("404 with %s does not mean that the service calls something absent", async (_form, body, type) => {
    answers(404, body, { "content-type": type });
    const problem = await problemOf(call());
    expect(problem).toMatchObject({ code: "SP3103", hint: expect.stringContaining("service's url") });
    expect(problem.message).not.toContain("Oops");
  });

  test.each([
    [400, "<html>\r\n<head><title>400 No required SSL certificate was sent</title></head><h1>Oops</h1>"],
    [403, "<html><body><h1>403 No required SSL certificate was sent</h1>\nOops.\n</body></html>"],
  ])(
    "%i with a page of a proxy gives its title, and says that a client certificate is required",
    async (status, page) => {
      answers(status, page, { "content-type": "text/html" });
      const problem = await problemOf(call());
      expect(problem.message).toContain(`The service answered ${status}: No required SSL certificate was sent.`);
      expect(problem.hint).toContain(`Set ${variableOf(service, "CLIENT_CERT")} and `);
    },
  );

  test('any redirect to the same path means a new address, not "not signed in"', async () => {
    answers(302, "", { location: `${service.url.replace("https://", "http://")}${client.path}` });
    expect(await problemOf(call())).toMatchObject({ code: "SP3007", hint: expect.stringContaining("new url") });
  });

  test("long texts are cut, and secrets in them are dots", async () => {
    const { body, type } = client.error(400, `pa55/word t0ken ${"x".repeat(900)}`);
    answers(400, body, { "content-type": type });
    const { message } = await problemOf(call());
    expect(message.length).toBeLessThan(350);
    expect(message).not.toMatch(client.credentials.is === "basic" ? /pa55/ : /t0ken/);
  });

  test('a redirect to a login page means "not signed in"', async () => {
    answers(302, "", { location: "https://login.example.com/?from=secret-path" });
    const problem = await problemOf(call());
    expect(problem).toMatchObject({ code: "SP3003", message: expect.stringContaining("https://login.example.com/") });
    expect(problem.message).not.toContain("secret-path");
  });

  test.each([
    [301, "/login.jsp?from=secret-path"],
    [307, "/sso/start"],
    [308, "/users/sign_in"],
    [303, "/anywhere"],
  ])('a redirect (%i) to %s means "not signed in" too', async (status, target) => {
    answers(status, "", { location: `${service.url}${target}` });
    expect(await problemOf(call())).toMatchObject({
      code: "SP3003",
      message: expect.stringContaining("not signed in"),
    });
  });

  test.each([
    [301, `${service.url}/new/name?token=secret`],
    [307, `${service.url}/new/name`],
    [308, service.url.replace("https://", "http://")],
  ])("%i to %s means that it has moved, not that it is absent or access is refused", async (status, location) => {
    answers(status, "", { location });
    const problem = await problemOf(call());
    expect(problem).toMatchObject({ code: "SP3007", hint: expect.stringContaining("new url") });
    expect(problem.message).toContain(`to ${location.split("?")[0]}: the object has moved there`);
    expect(problem.message).not.toContain("token=");
  });

  test("a request without an answer in time is sent again, and then reported as timed out", async () => {
    const clock = testClock();
    mock(service.url)
      .intercept(client.path, client.method)
      .times(4)
      .reply(async () => {
        clock.expire();
        await new Promise(setImmediate);
        return [200, client.success.body, { "content-type": client.success.type }];
      });
    expect(await problemOf(call(clock))).toMatchObject({ code: "SP3101", message: expect.stringContaining("120 s") });
    expect(clock.waits).toHaveLength(3);
  });

  test("a connection that is reset is opened again, and then reported as reset", async () => {
    const clock = testClock();
    const reset = Object.assign(new Error("reset"), { code: "ECONNRESET" });
    mock(service.url).intercept(client.path, client.method).times(4).replyWithError(reset);
    expect(await problemOf(call(clock))).toMatchObject({
      code: "SP3102",
      message: expect.stringContaining("ECONNRESET"),
    });
    expect(clock.waits).toEqual([500, 1000, 2000]);
  });

  test.each([429, 503])("%i is waited for as long as Retry-After asks, in seconds or as a date", async (status) => {
    const clock = testClock(Date.UTC(2027, 0, 1));
    for (const after of ["2", "Fri, 01 Jan 2027 00:00:05 GMT"]) answers(status, "", { "retry-after": after });
    answers(200, client.success.body, { "content-type": client.success.type });
    await call(clock);
    expect(clock.waits).toEqual([2000, 5000]);
  });

  test("a successful answer with Retry-After: 0 is accepted", async () => {
    answers(200, client.success.body, { "content-type": client.success.type, "retry-after": "0" });
    await expect(call()).resolves.toBeDefined();
  });

  test('a login page instead of JSON means "not signed in"', async () => {
    answers(200, '<html><form><input name="p" type="password"></form>', { "content-type": "text/html" });
    expect(await problemOf(call())).toMatchObject({ code: "SP3003" });
  });

  test.each([
    ["an HTML page", "<html><p>Maintenance", "text/html"],
    ["a page of elements that never end", "<html>".concat("<input ".repeat(300_000)), "text/html"],
    ["HTML that calls itself JSON", "<!doctype html><p>Maintenance", json],
    ["JSON that was cut off", client.success.body.slice(0, -1), client.success.type],
    ["bytes that are not UTF-8", client.success.body.replace("{", '{"\xff":1,'), client.success.type],
    [
      "JSON of another shape",
      client.success.body.replace(/\{.*\}/s, '{"name":5,"local":5,"key":5}'),
      client.success.type,
    ],
  ])("%s is not accepted as an answer", async (_case, body, type) => {
    const bytes = Buffer.from(body, body.includes("\xff") ? "latin1" : "utf8");
    mock(service.url).intercept(client.path, client.method).reply(200, bytes, { "content-type": type });
    const problem = await problemOf(call());
    expect(problem).toMatchObject({
      code: "SP3103",
      service: role,
      operation,
      message: expect.stringMatching(/^Expected /),
    });
  });

  test("a page in place of an answer is named by its title", async () => {
    const page = "<!doctype html><head><title>\n  Sign in - Example SSO\n</title></head><p>Continue";
    answers(200, page, { "content-type": "text/html" });
    expect((await problemOf(call())).message).toMatch(/^Expected .*, got the HTML page "Sign in - Example SSO"\.$/);
  });

  test("content that is encoded although nobody asked for it is reported with its encoding", async () => {
    const headers = { "content-type": client.success.type, "content-encoding": "gzip" };
    mock(service.url).intercept(client.path, client.method).reply(200, gzipSync(client.success.body), headers);
    expect((await problemOf(call()))?.message).toContain("got content with the encoding gzip.");
  });

  test("partial content is incomplete", async () => {
    answers(206, client.success.body, { "content-type": client.success.type });
    expect(await problemOf(call())).toMatchObject({ code: "SP3104" });
  });

  test("a documented answer is decoded", async () => {
    answers(200, client.success.body, { "content-type": client.success.type });
    await expect(call()).resolves.toBeDefined();
  });
});
