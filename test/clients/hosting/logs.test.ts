import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openConnection } from "../../../src/clients/connect.ts";
import { mockHttp } from "../../support/http-mock.ts";
import { problemOf, serviceOf, testClock, tokenCredentials } from "../fixtures.ts";

const mock = mockHttp();
const service = serviceOf("hosting");

function open() {
  return openConnection(service, { mode: "read", credentials: tokenCredentials, clock: testClock() });
}

const logs = "/repos/o/r/actions/runs/7/logs";
const archives = "https://archives.example.com";

function download(connection = open()): { readonly to: string; readonly called: Promise<unknown> } {
  const folder = mkdtempSync(join(tmpdir(), "setpoint-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const to = join(folder, "logs.zip");
  return { to, called: connection.call("downloadWorkflowRunLogs", { owner: "o", repo: "r", runId: 7, to }) };
}

test("logs are read from where the service stores them, without sending credentials there", async () => {
  mock(service.url)
    .get(logs)
    .matchHeader("authorization", "Bearer t0ken")
    .reply(302, "", { location: `${archives}/7?signature=s` });
  mock(archives)
    .get("/7?signature=s")
    .matchHeader("authorization", (value) => !value)
    .reply(200, "PK", { "content-type": "application/zip", etag: '"blob"' });
  const { to, called } = download();
  expect(await called).toEqual({ path: to, bytes: 2 });
  expect(readFileSync(to, "utf8")).toBe("PK");
});

test("logs are not written through a link that someone else has made where they arrive", async () => {
  mock(service.url)
    .get(logs)
    .reply(302, "", { location: `${archives}/7` });
  mock(archives).get("/7").reply(200, "PK");
  const { to, called } = download();
  writeFileSync(`${to}.own`, "mine");
  symlinkSync(`${to}.own`, `${to}.part`);
  await called;
  expect([readFileSync(`${to}.own`, "utf8"), readFileSync(to, "utf8")]).toEqual(["mine", "PK"]);
});

test("logs are downloaded every time, since the previous file might be gone", async () => {
  const connection = open();
  for (let times = 0; times < 2; times++) {
    mock(service.url)
      .get(logs)
      .matchHeader("if-none-match", (value) => !value)
      .reply(302, "", { location: `${archives}/7` });
    mock(archives).get("/7").reply(200, "PK", { etag: '"blob"' });
    expect(await download(connection).called).toMatchObject({ bytes: 2 });
  }
});

test.each([
  ["a login page", 200, { "content-type": "text/html" }, "SP3003"],
  ["an address that has expired", 403, { "content-type": "application/xml" }, "SP3004"],
])("%s in place of logs is a problem and leaves no file", async (_, status, headers, code) => {
  mock(service.url)
    .get(logs)
    .reply(302, "", { location: `${archives}/7` });
  mock(archives).get("/7").reply(status, "<Error/>", headers);
  const { to, called } = download();
  expect(await problemOf(called)).toMatchObject({ code });
  expect(existsSync(to)).toBe(false);
});

test("logs that the service no longer has are refused in its words", async () => {
  mock(service.url).get(logs).reply(410, { message: "Gone", documentation_url: "https://docs.example.com" });
  expect(await problemOf(download().called)).toMatchObject({
    code: "SP3007",
    message: "The service answered 410: Gone.",
  });
});
