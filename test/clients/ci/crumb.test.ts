import { expect, onTestFinished, test } from "vitest";
import { openConnection } from "../../../src/clients/connect.ts";
import type { Effect } from "../../../src/core/operation.ts";
import { mockHttp } from "../../support/http-mock.ts";
import { basicCredentials, problemOf, serviceOf, testClock } from "../fixtures.ts";

const mock = mockHttp();
const service = serviceOf("ci");
const refusal = "<html><head><title>Error 403 No valid crumb was included in the request</title></head></html>";
const html = { "content-type": "text/html" };

function open(mode: Effect = "write") {
  const connection = openConnection(service, { mode, credentials: basicCredentials, clock: testClock() });
  onTestFinished(() => connection.close());
  return connection;
}

/** Mocks the issuer, which hands out a crumb and a session. */
function issue(crumb: string, version: Record<string, string> = { "x-jenkins": "2.479.3" }) {
  mock(service.url)
    .get("/crumbIssuer/api/json")
    .reply(200, JSON.stringify({ _class: "x", crumbRequestField: "Jenkins-Crumb", crumb }), {
      "content-type": "application/json",
      "set-cookie": `JSESSIONID.1=of-${crumb}; Path=/; HttpOnly`,
      ...version,
    });
}

/** Mocks a job that is started, and records the header fields of the request. */
function start(job: string, status = 201, body = "") {
  const seen: (string | null)[] = [];
  mock(service.url)
    .post(`/job/${job}/build`)
    .reply(({ headers }: Request) => {
      seen.push(headers.get("jenkins-crumb"), headers.get("cookie"));
      return [status, body, status === 201 ? { location: `${service.url}/queue/item/1/` } : html];
    });
  return seen;
}

test.each([
  ["2.176.2", "JSESSIONID.1=of-c1"],
  ["2.176.10", "JSESSIONID.1=of-c1"],
  ["2.177", "JSESSIONID.1=of-c1"],
  ["10.1", "JSESSIONID.1=of-c1"],
  ["2.176.1", null],
  ["2.176", null],
  ["1.999.9", null],
])("version %s gets its crumb with the session %s", async (version, cookie) => {
  issue("c1", { "x-jenkins": version });
  const sent = start("a");
  await open().call("buildJob", { job: "a" });
  expect(sent).toEqual(["c1", cookie]);
});

test("a server that does not report its version gets the session too", async () => {
  issue("c1", {});
  const sent = start("a");
  await open().call("buildJob", { job: "a" });
  expect(sent).toEqual(["c1", "JSESSIONID.1=of-c1"]);
});

test("a crumb is read once for all requests, even concurrent ones", async () => {
  issue("c1");
  const sent = ["a", "b", "c"].map((job) => start(job));
  const connection = open();
  await Promise.all(["a", "b"].map((job) => connection.call("buildJob", { job })));
  await connection.call("buildJob", { job: "c" });
  expect(sent.map(([crumb]) => crumb)).toEqual(["c1", "c1", "c1"]);
  expect(connection.requests).toEqual({ reads: 1, writes: 3 });
});

test("a script that only reads is sent by POST, with the crumb, in mode read", async () => {
  issue("c1");
  mock(service.url)
    .post("/scriptText")
    .matchHeader("jenkins-crumb", "c1")
    .reply(200, '\nsetpoint-outcome {"status":200,"result":{"a":"1"}}\n', { "content-type": "text/plain" });
  const script = { name: "systemProperties", properties: ["a"] };
  expect(await open("read").call("runReadScript", { script })).toEqual({ a: "1" });
});

test("a read by GET requests no crumb", async () => {
  mock(service.url).get("/job/a/api/json").reply(200, "{}", { "content-type": "application/json" });
  const connection = open();
  await connection.call("getJob", { job: "a" });
  expect(connection.requests).toEqual({ reads: 1, writes: 0 });
});

test("without an issuer requests are sent without a crumb, and none is requested again", async () => {
  mock(service.url).get("/crumbIssuer/api/json").reply(404, "<title>Error 404 Not Found</title>", html);
  const sent = [start("a"), start("b")];
  const connection = open();
  await connection.call("buildJob", { job: "a" });
  await connection.call("buildJob", { job: "b" });
  expect(sent.flat()).toEqual([null, null, null, null]);
});

test("a refused crumb is read once more, with its session, and kept", async () => {
  issue("c1");
  const first = start("a", 403, refusal);
  issue("c2");
  const second = start("a");
  const third = start("b");
  const connection = open();
  await connection.call("buildJob", { job: "a" });
  await connection.call("buildJob", { job: "b" });
  expect([first, second, third].map(([crumb, cookie]) => [crumb, cookie])).toEqual([
    ["c1", "JSESSIONID.1=of-c1"],
    ["c2", "JSESSIONID.1=of-c2"],
    ["c2", "JSESSIONID.1=of-c2"],
  ]);
});

test("a new crumb that is refused as well is a problem", async () => {
  issue("c1");
  start("a", 403, refusal);
  issue("c2");
  start("a", 403, refusal);
  expect(await problemOf(open().call("buildJob", { job: "a" }))).toMatchObject({
    code: "SP3004",
    message: "The service answered 403: No valid crumb was included in the request.",
  });
});

test("a crumb cannot name the host that a proxy would pass the request on to", async () => {
  const body = JSON.stringify({ crumbRequestField: "Host", crumb: "artifacts.example.com" });
  mock(service.url).get("/crumbIssuer/api/json").reply(200, body, { "content-type": "application/json" });
  const connection = open();
  expect(await problemOf(connection.call("buildJob", { job: "a" }))).toMatchObject({ code: "SP3103" });
  expect(connection.requests.writes).toBe(0);
});

test("another 403 has nothing to do with the crumb", async () => {
  issue("c1");
  start("a", 403, "<html><h1>Access Denied</h1><p>robot is missing the Job/Build permission</p></html>");
  expect(await problemOf(open().call("buildJob", { job: "a" }))).toMatchObject({
    code: "SP3004",
    message: "The service answered 403: robot is missing the Job/Build permission.",
  });
});

test("if no crumb can be read, nothing is changed, and the next call requests one again", async () => {
  mock(service.url).get("/crumbIssuer/api/json").reply(403, "<html>", html);
  issue("c1");
  const sent = start("a");
  const connection = open();
  expect(await problemOf(connection.call("buildJob", { job: "a" }))).toMatchObject({ code: "SP3004" });
  expect(connection.requests.writes).toBe(0);
  await connection.call("buildJob", { job: "a" });
  expect(sent[0]).toBe("c1");
});

test.each(["", "Jenkins-Crumb", ":c1", "Jenkins-Crumb:", "<crumb/>"])(
  "%j is not a crumb in the text form",
  async (text) => {
    const xpath = "concat(//crumbRequestField,':',//crumb)";
    mock(service.url).get("/crumbIssuer/api/xml").query({ xpath }).reply(200, text, { "content-type": "text/plain" });
    expect(await problemOf(open().call("getCrumbXml", {}))).toMatchObject({ code: "SP3103" });
  },
);
