import { describe, expect, onTestFinished, test } from "vitest";
import { openConnection } from "../../../src/clients/connect.ts";
import type { Service } from "../../../src/core/service.ts";
import type { JsonObject } from "../../../src/core/text/json.ts";
import { mockHttp } from "../../support/http-mock.ts";
import { basicCredentials, problemOf, serviceOf, testClock } from "../fixtures.ts";

const mock = mockHttp();
const service = serviceOf("ci", { urls: { updates: "https://updates.example.com" } });
const json = { "content-type": "application/json;charset=utf-8" };
const text = { "content-type": "text/plain" };
const html = { "content-type": "text/html;charset=utf-8" };

function call(operation: string, args: JsonObject, to: Service = service): Promise<unknown> {
  const connection = openConnection(to, { mode: "write", credentials: basicCredentials, clock: testClock() });
  onTestFinished(() => connection.close());
  return connection.call(operation, args);
}

/** The same for requests by POST, on a server without crumbs. */
function post(operation: string, args: JsonObject): Promise<unknown> {
  mock(service.url).get("/crumbIssuer/api/json").reply(404, "<title>Error 404 Not Found</title>", html);
  return call(operation, args);
}

describe("a request", () => {
  test("is signed in by basic authentication, even for a job in folders", async () => {
    const get = mock(service.url).get("/job/a%20b/job/c/api/json").query({ tree: "name" });
    get.basicAuth({ user: "robot", pass: "pa55/word" }).reply(200, '{"name":"c"}', json);
    expect(await call("getJob", { job: "a b/c", tree: "name" })).toEqual({ name: "c" });
  });

  test("to an update site on another host carries no credentials", async () => {
    mock("https://updates.example.com")
      .get("/stable/latestCore.txt")
      .reply(({ headers }: Request) => [200, headers.has("authorization") ? "0.0" : "2.479.3\n", text]);
    expect(await call("getLatestStableCore", {})).toBe("2.479.3");
  });

  test("for the newest stable version follows the redirect of the update site once, without credentials", async () => {
    const updates = mock("https://updates.example.com");
    const location = "https://updates.example.com/dynamic-stable-2.479.3/latestCore.txt";
    updates.get("/stable/latestCore.txt").reply(302, "<title>302 Found</title>", { ...html, location });
    updates
      .get("/dynamic-stable-2.479.3/latestCore.txt")
      .reply(({ headers }: Request) => [200, headers.has("authorization") ? "0.0" : "2.479.3\n", text]);
    expect(await call("getLatestStableCore", {})).toBe("2.479.3");
  });

  test("sends parameters as fields, lists with commas, and special characters unchanged", async () => {
    mock(service.url)
      .post("/job/a/buildWithParameters", { job: "x", TARGETS: "arm,riscv", "ä & b": "1+1=2", N: "5", CLEAN: "true" })
      .reply(201, "", { location: `${service.url}/queue/item/7/` });
    const parameters = { job: "x", TARGETS: ["arm", "riscv"], "ä & b": "1+1=2", N: 5, CLEAN: true };
    expect(await post("buildJobWithParameters", { job: "a", parameters })).toEqual({
      queueItem: `${service.url}/queue/item/7/`,
    });
  });

  test("does not send a list with an entry that would be read as two", async () => {
    const parameters = { TARGETS: ["arm,riscv"] };
    expect(await problemOf(call("buildJobWithParameters", { job: "a", parameters }))).toMatchObject({ code: "SP1002" });
  });

  test("sends a configuration as XML", async () => {
    const config = "<project>ü</project>";
    mock(service.url)
      .post("/job/a/config.xml", config)
      .matchHeader("content-type", "application/xml; charset=UTF-8")
      .reply(200, "");
    await post("updateJobConfig", { job: "a", config });
  });

  test("on a build goes to the URL of the build, which must be on the service itself", async () => {
    mock(service.url)
      .post("/job/a/job/b/7/kill")
      .reply(302, "", { location: `${service.url}/job/a/job/b/7/` });
    await post("killBuild", { buildUrl: `${service.url}/job/a/job/b/7/` });
    mock(service.url).get("/crumbIssuer/api/json").reply(404, "<title>Error 404 Not Found</title>", html);
    const elsewhere = call("stopBuild", { buildUrl: "https://evil.example.com/job/a/7" });
    expect(await problemOf(elsewhere)).toMatchObject({ code: "SP3002" });
  });
});

describe("an answer", () => {
  test.each([302, 303])("%i to a page of the server counts as a success of a write", async (status) => {
    mock(service.url)
      .post("/safeRestart")
      .reply(status, "", { location: `${service.url}/` });
    await expect(post("safeRestart", {})).resolves.toBeDefined();
  });

  test.each([`${service.url}/login?from=%2Frestart`, `${service.url}/securityRealm/commenceLogin?from=%2F`])(
    'that redirects to %s means "not signed in"',
    async (location) => {
      mock(service.url).post("/restart").reply(302, "", { location });
      const problem = await problemOf(post("restart", {}));
      expect(problem).toMatchObject({ code: "SP3003", message: expect.stringContaining("not signed in") });
    },
  );

  test.each(["term", "kill"])("of a build that has no %s is not a success", async (how) => {
    const buildUrl = `${service.url}/job/a/7/`;
    mock(service.url)
      .post(`/job/a/7/${how}`)
      .reply(302, "", { location: `${buildUrl}${how}/` });
    expect(await problemOf(post(how === "term" ? "terminateBuild" : "killBuild", { buildUrl }))).toMatchObject({
      code: "SP3005",
      message: expect.stringContaining(`it redirects to ${buildUrl}${how}/, which does not exist`),
      hint: expect.stringContaining("only builds of pipelines"),
    });
  });

  test('that redirects a read means "not signed in", wherever it points', async () => {
    mock(service.url)
      .get("/job/a/api/json")
      .reply(302, "", { location: `${service.url}/job/b/api/json` });
    expect(await problemOf(call("getJob", { job: "a" }))).toMatchObject({ code: "SP3003" });
  });

  test.each([
    ["a login page", '<html><form><input type="password"></form>', "SP3003"],
    ["a page", "<html>Maintenance", "SP3103"],
  ])("with %s is not a success of a write", async (_case, body, code) => {
    mock(service.url).post("/job/a/7/stop").reply(200, body, html);
    expect(await problemOf(post("stopBuild", { buildUrl: `${service.url}/job/a/7` }))).toMatchObject({ code });
  });

  test("with an empty page is a success of a write, which has no result", async () => {
    mock(service.url).post("/job/a/config.xml").reply(200, "", html);
    await expect(post("updateJobConfig", { job: "a", config: "<project/>" })).resolves.toBeDefined();
  });

  test("that redirects to the page of the job means that no build was queued", async () => {
    mock(service.url)
      .post("/job/a/build")
      .reply(302, "", { location: `${service.url}/job/a/` });
    expect(await problemOf(post("buildJob", { job: "a" }))).toMatchObject({
      code: "SP3103",
      message: expect.stringContaining("the build was not queued"),
    });
  });

  test("without a place in the queue is refused", async () => {
    mock(service.url).post("/job/a/build").reply(201, "");
    const problem = await problemOf(post("buildJob", { job: "a" }));
    expect(problem).toMatchObject({ code: "SP3103", message: expect.stringContaining("location") });
  });

  test.each([
    [400, "SP3007", "Nothing is submitted"],
    [404, "SP3005", "Not Found"],
    [409, "SP3006", "a &amp; b is not buildable"],
    [500, "SP3009", "Server Error"],
    [503, "SP3009", "Service Unavailable"],
  ])("%i is %s with the text of the server's page", async (status, code, words) => {
    const page = `<html><head><title>Error ${status} ${words}</title></head><body><h2>HTTP ERROR</h2></body></html>`;
    mock(service.url).post("/job/a/build").reply(status, page, html);
    const { code: got, message } = await problemOf(post("buildJob", { job: "a" }));
    expect({ code: got, message }).toEqual({
      code,
      message: `The service answered ${status}: ${words.replace("&amp;", "&")}.`,
    });
  });

  test.each([
    [404, "", "(none)", "SP3005", ""],
    [403, "No valid token was included", "(none)", "SP3004", ": No valid token was included"],
    [500, "", "java.io.IOException: no &amp; disk\n\tat hudson.X", "SP3009", ": java.io.IOException: no & disk"],
  ])("%i has the text of an old web server's page too", async (status, exception, trace, code, words) => {
    const page = `<html><head><title>Error ${status}</title></head><body bgcolor="#ffffff"><h1>Status Code: ${status}</h1>Exception: ${exception}<br>Stacktrace: <pre>${trace}\n</pre></body></html>`;
    mock(service.url).post("/job/a/build").reply(status, page, html);
    expect(await problemOf(post("buildJob", { job: "a" }))).toMatchObject({
      code,
      message: `The service answered ${status}${words}.`,
    });
  });

  // Jenkins: `_404.jelly` and `oops.jelly`.
  test.each([
    [404, ' style="text-align: center"', "<h2>Not Found</h2>", "SP3005", "Not Found"],
    [
      500,
      "",
      '<h2 style="text-align: center">A problem occurred &amp; so on</h2>',
      "SP3009",
      "A problem occurred & so on",
    ],
  ])("%i has the text of the server's own page", async (status, style, title, code, words) => {
    const page = `<!DOCTYPE html><html><head><title>Jenkins</title></head><body><h1>Oops!</h1><div id="error-description"${style}>\n${title}\n<p>x</p></div></body></html>`;
    mock(service.url).post("/job/a/build").reply(status, page, html);
    expect(await problemOf(post("buildJob", { job: "a" }))).toMatchObject({
      code,
      message: `The service answered ${status}: ${words}.`,
    });
  });

  test("404 for an expression that matches nothing has the text of the server, which is not a page", async () => {
    const said = "XPath /*/none didn't match";
    mock(service.url)
      .get("/job/a/7/api/xml?xpath=/*/none")
      .reply(404, said, { ...html, "x-jenkins": "2.479" });
    const problem = await problemOf(call("getBuildXml", { job: "a", buildNumber: 7, xpath: "/*/none" }));
    expect(problem).toMatchObject({ code: "SP3005", message: `The service answered 404: ${said}.` });
  });

  test("409 explains what to do about a job that cannot be started", async () => {
    mock(service.url).post("/job/a/build").reply(409, "<html>", html);
    const problem = await problemOf(post("buildJob", { job: "a" }));
    expect(problem).toMatchObject({ hint: expect.stringContaining("disabled") });
  });

  test.each([
    [401, "SP3003"],
    [403, "SP3004"],
    [429, "SP3008"],
    [503, "SP3009"],
  ])("%i with a page of another server is %s with the title of the page alone", async (status, code) => {
    const times = status === 429 || status === 503 ? 4 : 1;
    mock(service.url).get("/job/a/api/json").times(times).reply(status, "<html><h1>Oops</h1>Whoops</html>", html);
    expect(await problemOf(call("getJob", { job: "a" }))).toMatchObject({
      code,
      message: `The service answered ${status}: Oops.`,
    });
  });

  test.each([
    ["an HTML page", "<html><p>Please wait while Jenkins is restarting", html],
    ["JSON that was cut off", '{"name":"a","builds":[{"numb', json],
    ["another media type", '{"name":"a"}', text],
    ["another shape", '{"builds":[{"number":"seven"}]}', json],
    ["nothing", "", json],
  ])("of %s is not accepted as a job", async (_case, body, headers) => {
    mock(service.url).get("/job/a/api/json").reply(200, body, headers);
    expect(await problemOf(call("getJob", { job: "a" }))).toMatchObject({ code: "SP3103", operation: "getJob" });
  });

  test("whose entries lack their fields is not accepted as a list of plugins", async () => {
    mock(service.url).get("/pluginManager/api/json").reply(200, '{"plugins":[{},{}]}', json);
    expect(await problemOf(call("listPlugins", {}))).toMatchObject({ code: "SP3103" });
  });

  test.each(["", "<html>Not here", "latest"])("%j is not a version", async (body) => {
    mock("https://updates.example.com").get("/current/latestCore.txt").reply(200, body, text);
    expect(await problemOf(call("getLatestWeeklyCore", {}))).toMatchObject({ code: "SP3103" });
  });

  test("without the server's version header comes from another server", async () => {
    mock(service.url).get("/api/json").query({ tree: "mode" }).reply(200, "{}", json);
    const problem = await problemOf(call("getVersion", {}));
    expect(problem).toMatchObject({ code: "SP3103", message: expect.stringContaining("x-jenkins") });
  });

  test("to a write that is lost is not requested again", async () => {
    mock(service.url).post("/restart").reply(502, "", html);
    expect(await problemOf(post("restart", {}))).toMatchObject({ code: "SP3105" });
  });
});

test("a service without an update site says so", async () => {
  expect(await problemOf(call("getLatestStableCore", {}, serviceOf("ci")))).toMatchObject({
    code: "SP3102",
    hint: expect.stringContaining("services.ci.urls.updates"),
  });
});
