import { gzipSync } from "node:zlib";
import { errors } from "undici";
import { expect, test } from "vitest";
import { attemptProblem, brokenAttempt, type Failure, judge } from "../../../src/clients/http/outcome.ts";
import type { Effect } from "../../../src/core/operation.ts";

const origin = "https://review.example.com";

test("a connection that cannot be made gets half of the timeout, and is not reported as a missing answer", () => {
  const error = new errors.ConnectTimeoutError();
  expect(brokenAttempt(error, { origin, timeout: 10_000, stopped: undefined, stage: "connecting" })).toEqual({
    is: "unsent",
    problem: {
      code: "SP3101",
      message: "No connection to https://review.example.com within 5 s.",
      hint: "Check the service's url, the network, and HTTPS_PROXY and NO_PROXY.",
    },
  });
});

test.each([
  ["CERT_HAS_EXPIRED", "The certificate of https://review.example.com is not trusted", "Renew"],
  ["CERT_NOT_YET_VALID", "The certificate of https://review.example.com is not trusted", "clock"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "The certificate of https://review.example.com is not trusted", "another host"],
  ["SELF_SIGNED_CERT_IN_CHAIN", "The certificate of https://review.example.com is not trusted", "SETPOINT_CA_FILE"],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "The certificate of https://review.example.com is not trusted", "intermediate"],
  [
    "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED",
    "https://review.example.com requires a client certificate",
    "SETPOINT_<SERVICE>_CLIENT_CERT",
  ],
  [
    "ERR_SSL_TLSV1_ALERT_UNKNOWN_CA",
    "https://review.example.com does not accept the client certificate",
    "SETPOINT_<SERVICE>_CLIENT_CERT",
  ],
])("%s says which certificate is wrong and what to do about it", (code, what, hint) => {
  const error = Object.assign(new Error("broken"), { code });
  expect(brokenAttempt(error, { origin, timeout: 10_000, stopped: undefined, stage: "connecting" })).toEqual({
    is: "final",
    problem: { code: "SP3106", message: `${what} (${code}).`, hint: expect.stringContaining(hint) },
  });
});

test.each([
  [{ code: "ECONNREFUSED", address: "192.0.2.7", port: 3128 }, "ECONNREFUSED 192.0.2.7:3128"],
  [{ code: "ECONNREFUSED", address: "2001:db8::7", port: 443 }, "ECONNREFUSED [2001:db8::7]:443"],
  [{ code: "ENOTFOUND", hostname: "proxy.example.com" }, "ENOTFOUND proxy.example.com"],
  [{ code: "ENOTFOUND", hostname: "review.example.com" }, "ENOTFOUND"],
  [{ code: "ECONNREFUSED", address: 7 }, "ECONNREFUSED"],
])("a connection that was not made names what the system was to reach, such as a proxy: %j", (properties, told) => {
  const error = Object.assign(new Error("broken"), properties);
  expect(brokenAttempt(error, { origin, timeout: 10_000, stopped: undefined, stage: "connecting" })).toMatchObject({
    problem: { code: "SP3102", message: `No connection to https://review.example.com (${told}).` },
  });
});

test("a request whose time runs out while it waits for its connection was not sent", () => {
  const error = new errors.RequestAbortedError();
  const circumstances = { origin, timeout: 10_000, stopped: "late" } as const;
  expect(brokenAttempt(error, { ...circumstances, stage: "connecting" })).toMatchObject({
    is: "unsent",
    problem: { message: "No connection to https://review.example.com within 10 s." },
  });
  expect(brokenAttempt(error, { ...circumstances, stage: "sent" })).toMatchObject({
    is: "lost",
    problem: { message: "No answer from https://review.example.com within 10 s." },
  });
});

test("a redirect is what an operation answers with only if the protocol does not object", () => {
  const redirect = { status: 302, headers: { location: `${origin}/job/x/` }, body: Buffer.alloc(0) };
  expect(judge(redirect, undefined, [], true)).toEqual({ is: "answered", answer: redirect });
  expect(judge(redirect, undefined, [])).toMatchObject({ is: "failed", failure: { status: 302 } });
  expect(judge(redirect, { status: 302 }, [], true)).toMatchObject({
    is: "failed",
    failure: { location: `${origin}/job/x/` },
  });
  expect(judge(redirect, { status: 404, said: "nothing is there" }, [])).toMatchObject({
    is: "failed",
    failure: { status: 404, said: "nothing is there" },
  });
});

test.each([
  [302, "/a?x=1", `${origin}/new/a?y=2`, "SP3007"],
  [302, "/a", `${origin}/b`, "SP3003"],
  [302, "/", "https://start.example.com/", "SP3003"],
  [301, "/a", `${origin}/b`, "SP3007"],
  [301, "/a", undefined, "SP3103"],
  [304, "/a", undefined, "SP3103"],
])("%i from %s to %s is %s", (status, path, location, code) => {
  const attempt = judge({ status, headers: { location }, body: Buffer.alloc(0) }, undefined, [], false, path);
  expect(attempt.is === "answered" ? attempt : attemptProblem(attempt, "read", 0)).toMatchObject({ code });
});

test("a service's new address is one problem, whatever was asked for", () => {
  const messages = ["/a", "/b?x=1"].map((path) => {
    const headers = { location: `https://new.example.com/review${path}` };
    const attempt = judge({ status: 301, headers, body: Buffer.alloc(0) }, undefined, [], false, path);
    return attempt.is === "answered" ? attempt : attemptProblem(attempt, "read", 0).message;
  });
  const message = "The service redirects (301) to https://new.example.com/review: the service has moved there.";
  expect(messages).toEqual([message, message]);
});

test.each([
  [429, "3600", " It asks to send nothing until 2027-01-01 01:01 UTC."],
  [503, "Fri, 01 Jan 2027 02:00:00 GMT", " It asks to send nothing until 2027-01-01 02:00 UTC."],
  [503, "30", ""],
  [503, undefined, ""],
  [500, "3600", ""],
])(
  "after a %i that asks for a pause of %j, the problem says until when it is, unless it was waited for",
  (status, pause, words) => {
    const attempt = judge({ status, headers: { "retry-after": pause }, body: Buffer.alloc(0) }, { status }, []);
    const now = Date.UTC(2027, 0, 1, 0, 0, 20);
    expect(attempt.is === "answered" ? attempt : attemptProblem(attempt, "read", now)).toMatchObject({
      message: `The service answered ${status}.${words}`,
    });
  },
);

test("plain text, which proxies answer with, is quoted, and no other bytes", () => {
  const said = (body: string | Buffer, type: string | undefined, encoding?: string) => {
    const headers = { "content-type": type, "content-encoding": encoding };
    const answer = { status: 503, headers, body: Buffer.from(body) };
    // Some services' failures are the text of the answer.
    const attempt = judge(answer, { status: 503, said: type === undefined ? `${answer.body}` : undefined }, []);
    return attempt.is === "answered" ? attempt : attemptProblem(attempt, "read", 0).message;
  };
  expect(said("no healthy upstream\n", "text/plain")).toBe("The service answered 503: no healthy upstream.");
  expect(said("upstream 1.2 is down.", undefined)).toBe("The service answered 503: upstream 1.2 is down.");
  expect(said("{}", "application/json")).toBe("The service answered 503.");
  expect(said("upstream is down.", "text/plain", "utf-8")).toBe("The service answered 503: upstream is down.");
  for (const type of ["text/plain", undefined])
    expect(said(gzipSync("upstream is down."), type, "gzip")).toBe("The service answered 503.");
});

const logs = "Look in the service's log, or in that of a proxy in front of it.";
const slashes = "A proxy in front of it must pass on %2F in paths unchanged.";

test.each([
  [
    403,
    { said: "no" },
    "SP3004",
    "Ask an administrator of the service to grant the permission, or use another account.",
  ],
  [403, {}, "SP3004", logs],
  [
    404,
    { said: "no", hidden: true },
    "SP3004",
    "Ask an administrator of the service to grant the permission, or use another account.",
  ],
  [400, { said: "no" }, "SP3007", "The message is from the service; check the values it names."],
  [400, { path: "/a%2Fb", said: "no" }, "SP3007", "The message is from the service; check the values it names."],
  [400, { path: "/a%2fb" }, "SP3007", `${logs} ${slashes}`],
  [
    404,
    { own: true },
    "SP3005",
    "Check the names, and that the account can see the object: services hide objects it has no access to.",
  ],
  [
    404,
    { own: true, path: "/a%2Fb", said: "no" },
    "SP3005",
    `Check the names, and that the account can see the object: services hide objects it has no access to. ${slashes}`,
  ],
  [409, { said: "no" }, "SP3007", "The message is from the service; check the values it names."],
  [409, { said: "no", effect: "write" }, "SP3006", "Make a new plan: it reads the object again."],
  [500, { path: "/a%2Fb" }, "SP3009", `Try again later. ${logs}`],
  [500, { hint: "Do this." }, "SP3009", "Do this."],
] as const)("after %i with %j, the problem is %s and says what to do", (status, about, code, hint) => {
  const { path = "/a", effect = "read", ...failure }: { path?: string; effect?: Effect } & Partial<Failure> = about;
  const attempt = judge({ status, headers: {}, body: Buffer.alloc(0) }, { status, ...failure }, [], false, path);
  expect(attempt.is === "answered" ? attempt : attemptProblem(attempt, effect, 0)).toMatchObject({ code, hint });
});

test.each([
  ["text/html", "<title>400 The plain HTTP request was sent to HTTPS port</title>"],
  ["text/plain", "Client sent an HTTP request to an HTTPS server."],
  ["text/plain", "Bad Request\nThis combination of host and port requires TLS."],
])("the hint for what a server with TLS answers without it is the scheme: %s %s", (type, page) => {
  const answer = { status: 400, headers: { "content-type": type }, body: Buffer.from(page) };
  const attempt = judge(answer, { status: 400 }, []);
  expect(attempt.is === "answered" ? attempt : attemptProblem(attempt, "read", 0)).toMatchObject({
    hint: "Check the service's url, or that of the proxy: https: is for a port with TLS, and http: for one without.",
  });
});

test("a connection without TLS that ends without an answer may have been made to a port with TLS", () => {
  const error = new errors.SocketError("other side closed");
  const broken = (from: string) => {
    const attempt = brokenAttempt(error, { origin: from, timeout: 10_000, stopped: undefined, stage: "sent" });
    return "problem" in attempt ? attempt.problem.hint : undefined;
  };
  expect(broken("http://review.example.com")).toContain("https: is for a port with TLS");
  expect(broken("https://review.example.com")).not.toContain("https:");
});

test.each([
  [403, "final", "NO_PROXY"],
  [407, "final", "user and password"],
  [502, "unsent", "NO_PROXY"],
])("%i of the proxy on the way is %s: only its failures may pass", (status, is, hint) => {
  const error = new Error(`Proxy response (${status}) !== 200 when HTTP Tunneling`);
  const circumstances = { origin, timeout: 10_000, stopped: undefined, stage: "connecting" } as const;
  expect(brokenAttempt(error, circumstances)).toMatchObject({ is, problem: { hint: expect.stringContaining(hint) } });
});
