import { expect, test } from "vitest";
import { openConnection } from "../../../src/clients/connect.ts";
import { mockHttp } from "../../support/http-mock.ts";
import { basicCredentials, problemOf, serviceOf, testClock } from "../fixtures.ts";

const mock = mockHttp();
const service = serviceOf("review");
const headers = { "content-type": "application/json; charset=utf-8" };

function call() {
  const connection = openConnection(service, { mode: "read", credentials: basicCredentials, clock: testClock() });
  return connection.call("getProjectAccess", { projectName: "platform/core" });
}

test("a request is signed in by basic authentication", async () => {
  const sent = mock(service.url)
    .get("/a/projects/platform%2Fcore/access")
    .basicAuth({ user: "robot", pass: "pa55/word" });
  sent.reply(200, ')]}\'\n{"revision":"r","is_owner":true}', headers);
  expect(await call()).toEqual({ revision: "r", local: {}, is_owner: true, config_visible: false, groups: {} });
});

test.each([
  [404, "Not found: platform\n", "text/plain; charset=utf-8"],
  [404, "<title>404 Not Found</title>", "text/html"],
  [403, "<title>403 Forbidden</title>", "text/html"],
])("%i to a path with an encoded slash says that a proxy must let it through", async (status, body, type) => {
  mock(service.url).get("/a/projects/platform%2Fcore/access").reply(status, body, { "content-type": type });
  expect(await problemOf(call())).toMatchObject({
    hint: expect.stringContaining("must pass on %2F in paths unchanged"),
  });
});

// The service answers with the name of what it does not find (`GroupsCollection`, `ProjectsCollection`).
test.each(["Backend Owners\n", "landing-page\n", "Not found: web/backend\n", "Not found: team/404\n"])(
  "a missing object is known to be missing, whatever its name: %j",
  async (body) => {
    mock(service.url)
      .get("/a/projects/platform%2Fcore/access")
      .reply(404, body, { "content-type": "text/plain; charset=utf-8" });
    expect(await problemOf(call())).toMatchObject({ code: "SP3005" });
  },
);

test.each(["404 page not found\n", "default backend - 404\n", "no matching route\n", "Backend not found\n"])(
  "a proxy's word about the path says nothing about the object: %j",
  async (body) => {
    mock(service.url)
      .get("/a/projects/platform%2Fcore/access")
      .reply(404, body, { "content-type": "text/plain; charset=utf-8" });
    expect(await problemOf(call())).toMatchObject({ code: "SP3103" });
  },
);

test("JSON without the guard line is refused", async () => {
  mock(service.url).get("/a/projects/platform%2Fcore/access").reply(200, "{}", headers);
  const problem = await problemOf(call());
  expect(problem).toMatchObject({
    code: "SP3103",
    message: "Expected JSON after the line )]}', got text without that line.",
  });
});

test("another media type is refused", async () => {
  mock(service.url).get("/a/projects/platform%2Fcore/access").reply(200, ")]}'\n{}", { "content-type": "text/plain" });
  expect(await problemOf(call())).toMatchObject({ code: "SP3103", message: expect.stringContaining("text/plain") });
});

test("a mismatch names the path of the field", async () => {
  const body = `)]}'\n${JSON.stringify({ groups: { "uuid-1": { name: 7 } } })}`;
  mock(service.url).get("/a/projects/platform%2Fcore/access").reply(200, body, headers);
  const { message } = await problemOf(call());
  expect(message).toContain("groups.uuid-1.name is not text");
});
