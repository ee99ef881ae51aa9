import { expect, onTestFinished, test } from "vitest";
import { openSessions } from "../../../src/engine/sessions.ts";
import { mockHttp } from "../../support/http-mock.ts";
import { problemOf, serviceOf } from "../fixtures.ts";

const mock = mockHttp();
const service = serviceOf("wiki");
const json = { "content-type": "application/json" };
const path = "/rest/api/content/7";
const args = {
  pageId: "7",
  type: "page",
  title: "t",
  version: { number: 3 },
  body: { storage: { value: "<p/>", representation: "storage" } },
};

async function update() {
  const env = { SETPOINT_WIKI_URL: service.url, SETPOINT_WIKI_TOKEN: "t0ken" };
  const opened = await openSessions([service], "write", { signal: new AbortController().signal, env });
  onTestFinished(() => opened.close());
  const session = opened.sessions.get("wiki");
  const answer = session?.call("updatePage", args) ?? Promise.reject(new Error("no session"));
  return { answer, requests: () => session?.requests };
}

function page(number: number) {
  const body = { storage: { value: "<p/>", representation: "storage" } };
  return { id: "7", type: "page", title: "t", space: { key: "s" }, version: { number }, body };
}

function refuse() {
  const message = "Version must be incremented on update. Current version is: 2";
  mock(service.url).put(path).reply(409, { statusCode: 409, message }, json);
}

function show(version: number) {
  mock(service.url).get(path).query(true).reply(200, page(version), json);
}

test("a conflict is retried once if the page has not changed", async () => {
  refuse();
  show(2);
  mock(service.url)
    .put(path, ({ version }) => version.number === 3)
    .reply(200, page(3), json);
  const { answer, requests } = await update();
  expect(await answer).toMatchObject({ version: { number: 3 } });
  expect(requests()).toEqual({ reads: 1, writes: 2 });
});

test("a conflict is not retried if the page has another version", async () => {
  refuse();
  show(3);
  const { answer, requests } = await update();
  expect(await problemOf(answer)).toMatchObject({ code: "SP3006" });
  expect(requests()).toEqual({ reads: 1, writes: 1 });
});

test("a conflict that persists is reported", async () => {
  refuse();
  show(2);
  refuse();
  const { answer, requests } = await update();
  expect(await problemOf(answer)).toMatchObject({ code: "SP3006", message: expect.stringContaining("Version must") });
  expect(requests()).toEqual({ reads: 1, writes: 2 });
});

test("a page that the account may see but not edit is not found, and the hint says so", async () => {
  const message = "No content found with id: ContentId{id=7}";
  mock(service.url).put(path).reply(404, { statusCode: 404, message }, json);
  const { answer } = await update();
  expect(await problemOf(answer)).toMatchObject({
    code: "SP3005",
    message: `The service answered 404: ${message}.`,
    hint: expect.stringContaining("restrictions"),
  });
});
