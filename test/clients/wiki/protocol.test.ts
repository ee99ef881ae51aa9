import { describe, expect, onTestFinished, test } from "vitest";
import { openConnection } from "../../../src/clients/connect.ts";
import { provingReads } from "../../../src/clients/http/proof.ts";
import { wikiService } from "../../../src/clients/wiki/service.ts";
import { unlessMissing } from "../../../src/core/problem.ts";
import { Secret } from "../../../src/core/secret.ts";
import { mockHttp } from "../../support/http-mock.ts";
import { basicCredentials, problemOf, serviceOf, testClock } from "../fixtures.ts";

const mock = mockHttp();
const service = serviceOf("wiki");
const update = {
  pageId: "7",
  type: "page",
  title: "t",
  version: { number: 3 },
  body: { storage: { value: "<p/>", representation: "storage" } },
};
const updated = { id: "7", version: { number: 3 } };

test("a token without a user name is sent as a bearer token", async () => {
  const credentials = { is: "token", token: new Secret("t0ken") } as const;
  mock(service.url).put("/rest/api/content/7").matchHeader("authorization", "Bearer t0ken").reply(200, updated);
  expect(await openConnection(service, { mode: "write", credentials }).call("updatePage", update)).toEqual(updated);
});

test("a conflict names the current version", async () => {
  const message = "Version must be incremented on update. Current version is: 3";
  mock(service.url).put("/rest/api/content/7").reply(409, { statusCode: 409, data: {}, message });
  const problem = await problemOf(
    openConnection(service, { mode: "write", credentials: basicCredentials }).call("updatePage", update),
  );
  expect(problem).toMatchObject({ code: "SP3006", message: `The service answered 409: ${message}.` });
});

test("cookies are sent back until they expire", async () => {
  const connection = openConnection(service, { mode: "write", credentials: basicCredentials, clock: testClock() });
  const put = (cookie: string | undefined, set: string[]) =>
    mock(service.url)
      .put("/rest/api/content/7")
      .matchHeader("cookie", (value) => (value || undefined) === cookie)
      .reply(200, updated, { "set-cookie": set });
  put(undefined, ["JSESSIONID=a; Path=/; HttpOnly", "seraph=b; Secure"]);
  await connection.call("updatePage", update);
  put("JSESSIONID=a; seraph=b", ["JSESSIONID=c", "seraph=; Max-Age=0"]);
  await connection.call("updatePage", update);
  put("JSESSIONID=c", ["JSESSIONID=; Expires=Thu, 01 Jan 1970 00:00:00 GMT"]);
  await connection.call("updatePage", update);
  put(undefined, []);
  await connection.call("updatePage", update);
});

test("a version can have null in place of an unknown author", async () => {
  const body = { storage: { value: "<p/>", representation: "storage" } };
  const version = { number: 2, when: null, message: null };
  const page = { id: "7", type: "page", title: "t", space: { key: "s" }, version, body };
  mock(service.url).get("/rest/api/content/7").query(true).reply(200, page);
  const connection = openConnection(service, { mode: "read", credentials: basicCredentials });
  expect(await connection.call("getPage", { pageId: "7" })).toEqual(page);
});

test("a page that is hidden because the credentials were ignored is not absent", async () => {
  const message = "No content found with id: ContentId{id=7}";
  mock(service.url)
    .get("/rest/api/content/7")
    .query(true)
    .reply(404, { statusCode: 404, data: {}, message }, { "x-seraph-loginreason": "AUTHENTICATED_FAILED" });
  const connection = openConnection(service, { mode: "read", credentials: basicCredentials });
  expect(await problemOf(connection.call("getPage", { pageId: "7" }))).toMatchObject({ code: "SP3003" });
});

test("a page is not absent because the wiki has removed that part of its API", async () => {
  const message =
    "com.atlassian.confluence.api.service.exceptions.GoneException: This deprecated endpoint has been removed.";
  mock(service.url).get("/rest/api/content/7").query(true).reply(410, { statusCode: 410, data: {}, message });
  const connection = openConnection(service, { mode: "read", credentials: basicCredentials });
  const problem = await problemOf(unlessMissing(connection.call("getPage", { pageId: "7" })));
  expect(problem).toMatchObject({ code: "SP3007", hint: expect.stringContaining("newer version of setpoint") });
});

describe("a missing page", () => {
  const missing = { statusCode: 404, data: {}, message: "No content found with id: ContentId{id=7}" };
  async function ask(user: object) {
    mock(service.url).get("/rest/api/content/7").query(true).reply(404, missing);
    mock(service.url).get("/rest/api/content/8").query(true).reply(200, publicPage);
    mock(service.url).get("/rest/api/user/current").reply(200, user);
    const connection = openConnection(service, { mode: "read", credentials: basicCredentials });
    onTestFinished(() => connection.close());
    const send = provingReads((operation, args) => connection.call(operation, args), service, wikiService);
    const page = (pageId: string) => send("getPage", { pageId });
    const [problem] = await Promise.all([problemOf(page("7")), page("8")]);
    return problem;
  }
  const body = { storage: { value: "<p/>", representation: "storage" } };
  const publicPage = { id: "8", type: "page", title: "t", space: { key: "s" }, version: { number: 2 }, body };

  test("is not absent if the wiki took the request for anyone's, even if it shows other pages", async () => {
    const profilePicture = { path: "/images/icons/profilepics/anonymous.svg", width: 48, height: 48, isDefault: true };
    expect(await ask({ type: "anonymous", profilePicture, displayName: "Anonymous" })).toMatchObject({
      code: "SP3003",
      message: expect.stringMatching(/ContentId\{id=7\}.* The account is not signed in: /),
    });
  });

  test("is absent for an account that is signed in", async () => {
    expect(await ask({ type: "known", username: "jdoe", displayName: "Jane Doe" })).toMatchObject({ code: "SP3005" });
  });
});
