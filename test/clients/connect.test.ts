import { inspect } from "node:util";
import { expect, onTestFinished, test, vi } from "vitest";
import { analysisOperations } from "../../src/clients/analysis/operations.ts";
import { type ConnectOptions, openConnection } from "../../src/clients/connect.ts";
import { ProblemError } from "../../src/core/problem.ts";
import { Secret } from "../../src/core/secret.ts";
import type { Service } from "../../src/core/service.ts";
import { mockHttp } from "../support/http-mock.ts";
import { basicCredentials, problemOf, serviceOf, testClock, tokenCredentials } from "./fixtures.ts";

const mock = mockHttp();
const review = serviceOf("review");
const analysis = serviceOf("analysis");
const json = { "content-type": "application/json" };
const access = ")]}'\n{}";
const modify = ["modifyProjectAccess", { projectName: "p", add: {} }] as const;

function open(service: Service, over: Partial<ConnectOptions> = {}) {
  const credentials = service.role === "review" ? basicCredentials : tokenCredentials;
  const connection = openConnection(service, { mode: "write", credentials, clock: testClock(), ...over });
  onTestFinished(() => connection.close());
  return connection;
}

function failing(code: string): Error {
  return Object.assign(new Error(`the request with password pa55/word: ${code}`), { code });
}

test("a write is refused in mode read, and nothing is sent", async () => {
  const connection = open(review, { mode: "read" });
  const problem = await problemOf(connection.call(...modify));
  expect(problem).toMatchObject({ code: "SP4004", service: "review", operation: "modifyProjectAccess" });
  expect(problem.message).toBe("modifyProjectAccess is a write, but only reads are allowed here.");
  expect(connection.requests).toEqual({ reads: 0, writes: 0 });
});

test("wrong arguments are answered with those that there are, if there are any", async () => {
  const hint = async (...call: Parameters<ReturnType<typeof open>["call"]>) =>
    (await problemOf(open(review).call(...call))).hint;
  expect(await hint("getProjectAccess", {})).toBe("Arguments: projectName.");
  expect(await hint("getServerVersion", { nonsense: 1 })).toBe("Arguments: none.");
});

test("a read that is sent by POST is allowed in mode read", async () => {
  mock(analysis.url).post("/review/api").reply(200, "");
  const connection = open(analysis, { mode: "read" });
  expect(await connection.call("roles", {})).toEqual([]);
  expect(connection.requests).toEqual({ reads: 1, writes: 0 });
});

test("a read whose answer was lost is sent again, and every attempt is counted", async () => {
  const server = mock(review.url);
  server.get("/a/projects/p/access").replyWithError(failing("ECONNRESET"));
  server.get("/a/projects/p/access").reply(502, "Bad gateway");
  server.get("/a/projects/p/access").reply(200, access, json);
  const connection = open(review);
  await connection.call("getProjectAccess", { projectName: "p" });
  expect(connection.requests).toEqual({ reads: 3, writes: 0 });
});

test.each([
  ["a reset", (path: ReturnType<typeof post>) => path.replyWithError(failing("ECONNRESET"))],
  ["502", (path: ReturnType<typeof post>) => path.reply(502, "Bad gateway", { "retry-after": "0" })],
  ["504", (path: ReturnType<typeof post>) => path.reply(504, "Gateway timeout")],
])("a write whose answer was lost by %s is not sent again", async (_case, reply) => {
  reply(post());
  const connection = open(review);
  expect(await problemOf(connection.call(...modify))).toMatchObject({ code: "SP3105", hint: expect.any(String) });
  expect(connection.requests).toEqual({ reads: 0, writes: 1 });
});

test.each([500, 503])(
  "a write that failed on the server (%i) is not sent again, and its answer is not lost",
  async (status) => {
    post().reply(status, "Lock failure");
    const connection = open(review);
    expect(await problemOf(connection.call(...modify))).toMatchObject({ code: "SP3009" });
  },
);

test("every write is sent again after 429, and after 503 with a Retry-After", async () => {
  post().reply(429, "Slow down");
  post().reply(503, "Lock failure", { "retry-after": "1" });
  post().reply(200, access, json);
  const connection = open(review);
  await connection.call(...modify);
  expect(connection.requests).toEqual({ reads: 0, writes: 3 });
});

test("an untrusted certificate ends the call immediately", async () => {
  post().replyWithError(failing("SELF_SIGNED_CERT_IN_CHAIN"));
  const problem = await problemOf(open(review).call(...modify));
  expect(problem).toMatchObject({ code: "SP3106", hint: expect.stringContaining("SETPOINT_CA_FILE") });
});

test.each([
  ["an operation that does not exist", "getProjectAcess", {}, "Did you mean getProjectAccess?"],
  ["a name of every object", "constructor", {}, "getProjectAccess, listAccess"],
  ["an argument of the wrong type", "getProjectAccess", { projectName: 5 }, "projectName"],
  ["an argument that is missing", "getProjectAccess", {}, "projectName"],
  ["an argument that does not exist", "getProjectAccess", { projectName: "p", project: "p" }, "projectName"],
])("%s is refused before anything is sent", async (_case, operation, args, hint) => {
  const problem = await problemOf(open(review).call(operation, args));
  expect(problem).toMatchObject({ code: "SP1002", operation, hint: expect.stringContaining(hint) });
});

test("under wire: documented an operation that is not in the documents is refused", async () => {
  const connection = open({ ...review, wire: "documented" });
  const problem = await problemOf(connection.call("listAccess", { project: ["p"] }));
  expect(problem).toMatchObject({ code: "SP3007", message: expect.stringContaining("wire: documented") });
});

test("under wire: documented, and only there, an argument that is not in the documents is refused", async () => {
  const documented = open({ ...review, wire: "documented" });
  expect(await problemOf(documented.call("listProjects", { n: 1 }))).toMatchObject({
    code: "SP3007",
    message: "n of listProjects is not in the service's API documents, so it is not sent under wire: documented.",
    hint: expect.stringContaining("(queries page with n and S)"),
  });
  mock(review.url).get("/a/projects/?d").reply(200, ")]}'\n{}", json);
  expect(await documented.call("listProjects", {})).toEqual({});
});

test("a session cookie never appears in an answer", async () => {
  const ci = { ...review, name: "ci", role: "ci", url: "https://ci.example.com" } as const;
  mock(ci.url)
    .get("/crumbIssuer/api/json")
    .reply(404, "<title>Error 404 Not Found</title>", { "content-type": "text/html" });
  mock(ci.url).post("/job/a/1/stop").reply(302, "", { location: "/", "set-cookie": "JSESSIONID=s3cret" });
  const answer = await open(ci).call("stopBuild", { buildUrl: `${ci.url}/job/a/1` });
  expect(answer).toEqual({ location: "/" });
});

test("no more requests are under way than the service allows", async () => {
  let underWay = 0;
  let most = 0;
  const limits = { ...review.limits, concurrency: 2 };
  mock(review.url)
    .get("/a/projects/p/access")
    .times(5)
    .reply(
      200,
      async () => {
        most = Math.max(most, ++underWay);
        await new Promise(setImmediate);
        underWay -= 1;
        return access;
      },
      json,
    );
  const connection = open({ ...review, limits });
  await Promise.all(Array.from({ length: 5 }, () => connection.call("getProjectAccess", { projectName: "p" })));
  expect(most).toBe(2);
});

test("a secret is resolved when the call is made, and then sent", async () => {
  expect(analysisOperations.createUser.secrets).toEqual(["password"]);
  const body = { user: "robot", ltoken: "t0ken", action: "create_user", name: "u", password: "s3cret" };
  mock(analysis.url).post("/review/api", body).reply(200, "");
  const connection = open(analysis, {
    resolveSecret: async (reference) => new Secret(reference === "${env:P}" ? "s3cret" : ""),
  });
  await connection.call("createUser", { name: "u", password: "${env:P}" });
});

const shown = "an-account's\ttoken";

test.each([
  ["a value", review, "getProjectAccess", { projectName: "p" }, (said: string) => `)]}'\n{"groups":{"${said}":{}}}`],
  ["a line of a list", analysis, "users", {}, (said: string) => `{"name":"ada"}\n{"name":"${said}"}\n{"name":"eve"}`],
] as const)("an answer that has the credentials as %s is not used", async (_case, service, operation, args, body) => {
  const answered = (said: string) =>
    service === review
      ? mock(service.url).get("/a/projects/p/access").reply(200, body(said), json)
      : mock(service.url).post("/review/api").reply(200, body(said));
  const credentials = {
    review: { is: "basic", username: "ada", password: new Secret(shown) },
    analysis: { is: "token", username: "ada", token: new Secret(shown) },
  } as const;
  const connection = open(service, { credentials: credentials[service === review ? "review" : "analysis"] });
  answered(JSON.stringify(shown).slice(1, -1));
  expect(await problemOf(connection.call(operation, args))).toMatchObject({
    code: "SP3103",
    message: "The answer contains the credentials of this run, so nothing of it is used.",
  });
  answered("another's token");
  await expect(connection.call(operation, args)).resolves.toBeDefined();
});

test("a secret that cannot be resolved stops the call and is not quoted", async () => {
  const problem = await problemOf(open(analysis).call("createUser", { name: "u", password: "pl4in" }));
  expect(problem.code).toBe("SP1015");
  expect(JSON.stringify(problem)).not.toContain("pl4in");
});

test("no failure shows a secret, however it is printed", async () => {
  const echo = "login=t0ken&password=s3cret s3cret";
  mock(analysis.url)
    .post("/review/api")
    .reply(400, JSON.stringify({ status: 400, message: echo }));
  mock(analysis.url).post("/review/api").replyWithError(failing("EPIPE"));
  mock(analysis.url).post("/review/api").reply(200, "<html>", { "content-type": "text/html; t0ken=s3cret" });
  const connection = open(analysis, { resolveSecret: async () => new Secret("s3cret") });
  for (let call = 0; call < 3; call++) {
    const error: unknown = await connection
      .call("createUser", { name: "u", password: "${env:P}" })
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ProblemError);
    const shown = [inspect(error, { depth: null, showHidden: true }), JSON.stringify(error), String(error)].join("\n");
    expect(shown).not.toMatch(/s3cret|t0ken|pa55/);
  }
});

test("a header that is quoted shows no secret", async () => {
  mock(review.url).get("/a/projects/p/access").reply(200, access, { "content-type": "text/pa55/word" });
  const problem = await problemOf(open(review).call("getProjectAccess", { projectName: "p" }));
  expect(problem).toMatchObject({ code: "SP3103", message: expect.stringContaining("got text/•••") });
});

test("a connection prints without its secrets", () => {
  const connection = open(review);
  expect(inspect(connection, { depth: null, showHidden: true })).not.toContain("pa55");
});

function post() {
  return mock(review.url).post("/a/projects/p/access");
}

test("a listener that fails does not hide what a write did", async () => {
  post().reply(200, access, json);
  const fail = () => {
    throw new Error("the listener failed");
  };
  const warn = vi.spyOn(process, "emitWarning").mockReturnValue();
  onTestFinished(() => warn.mockRestore());
  const connection = open(review, { mode: "write", onRequest: fail });
  await connection.call("modifyProjectAccess", { projectName: "p", add: {} });
  expect(connection.requests).toEqual({ reads: 0, writes: 1 });
});

test("every attempt waits for its turn, and its events begin with its turn", async () => {
  const server = mock(review.url);
  server.get("/a/projects/p/access").reply(503, "Later", { "retry-after": "0" });
  server.get("/a/projects/p/access").reply(200, access, json);
  const told: string[] = [];
  const connection = open(review, {
    onRequest: ({ is }) => told.push(is),
    pace: (send) => {
      told.push("its turn");
      return send();
    },
  });
  await connection.call("getProjectAccess", { projectName: "p" });
  expect(told).toEqual(["its turn", "sent", "ended", "waiting", "resumed", "its turn", "sent", "ended"]);
});

test("a connection that stands alone has the pace that the limits set", async () => {
  const server = mock(review.url);
  for (const _request of [1, 2]) server.get("/a/projects/p/access").reply(200, access, json);
  const waits: number[] = [];
  let now = 0;
  const clock = {
    ...testClock(),
    now: () => now,
    wait: async (milliseconds: number) => {
      waits.push(milliseconds);
      now += milliseconds;
    },
  };
  const limits = { ...review.limits, requestsPerSecond: 1 };
  const connection = open({ ...review, limits }, { clock });
  await connection.call("getProjectAccess", { projectName: "p" });
  await connection.call("getProjectAccess", { projectName: "p" });
  expect(waits).toEqual([1010]);
});
