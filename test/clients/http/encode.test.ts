import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { encodeRequest } from "../../../src/clients/http/encode.ts";
import { openTransport } from "../../../src/clients/http/transport.ts";
import { anyCharacter } from "../../support/any-character.ts";
import { problemOf, serveLoopback, serviceOf, testClock } from "../fixtures.ts";

const args = (...names: readonly string[]) => z.object(Object.fromEntries(names.map((name) => [name, z.json()])));
const getAccess = {
  effect: "read",
  method: "GET",
  path: "/a/projects/{project-name}/access",
  body: "none",
  args: args("projectName"),
} as const;
const query = {
  effect: "read",
  method: "GET",
  path: "/a/access/?project&n",
  body: "none",
  args: args("project", "n"),
} as const;
const form = {
  effect: "write",
  method: "POST",
  path: "/review/api action=create_role",
  body: "form",
  args: args("name"),
} as const;
const put = { effect: "write", method: "PUT", path: "/repos/{org}", body: "json", args: args("org") } as const;

test.each([
  ["a/b", "a%2Fb"],
  ["feature/ü%2F..", "feature%2F%C3%BC%252F.."],
  [".", "%2E"],
  ["..", "%2E%2E"],
  ["...", "..."],
  ["a'(b)*!", "a%27%28b%29%2A%21"],
  ["a?b#c d", "a%3Fb%23c%20d"],
])("%j as a path argument is the single segment %s", (text, segment) => {
  expect(encodeRequest(getAccess, { projectName: text }).path).toBe(`/a/projects/${segment}/access`);
});

test("any text as a path argument reaches a server as one segment that decodes to it", async () => {
  const url = await serveLoopback((request, response) => response.end(request.url));
  const transport = openTransport(serviceOf("review", { url: `${url}/base` }), {
    mode: "read",
    env: {},
    clock: testClock(),
  });
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: anyCharacter, minLength: 1 }), async (text) => {
      const attempt = await transport.send(encodeRequest(getAccess, { projectName: text }));
      const segments = attempt.is === "answered" ? attempt.answer.body.toString().split("/") : [];
      expect(segments.map(decodeURIComponent)).toEqual(["", "base", "a", "projects", text, "access"]);
      expect([".", ".."]).not.toContain(segments[4]);
    }),
    { examples: [["feature/ü%2F.."], ["a/b"], ["."], [".."], ["\0"], ["a\\b"], ["\r\nHost: x"]] },
  );
  await transport.close();
});

test("a list is repeated in the query, and omitted arguments are left out", () => {
  expect(encodeRequest(query, { project: ["a b", "c+d&e"] }).path).toBe("/a/access/?project=a%20b&project=c%2Bd%26e");
  expect(encodeRequest(query, { project: [], n: 5 }).path).toBe("/a/access/?n=5");
  expect(encodeRequest(query, { n: undefined }).path).toBe("/a/access/");
});

test("any text in the query and in a form decodes to itself", () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (text) => {
      const { path } = encodeRequest(query, { project: [text] });
      expect(new URL(path, "http://h").searchParams.get("project")).toBe(text);
      const { body } = encodeRequest(form, { name: text });
      expect(new URLSearchParams(String(body)).get("name")).toBe(text);
    }),
    { examples: [["a&b=c+d#e%20f?g"], ["\r\n\0"], [";/"]] },
  );
});

test("a form contains credentials, fixed fields and arguments", () => {
  const request = encodeRequest(form, { name: "r&d", create_project: false }, { user: "robot", ltoken: "t" });
  expect(request.body).toBe("user=robot&ltoken=t&action=create_role&name=r%26d&create_project=false");
  expect(request.headers).toEqual({ "content-type": "application/x-www-form-urlencoded;charset=UTF-8" });
});

test("an argument cannot replace a credential or the action", () => {
  const { body } = encodeRequest(form, { action: "delete_role", user: "admin" }, { user: "robot" });
  expect(new URLSearchParams(String(body)).get("action")).toBe("create_role");
  expect(new URLSearchParams(String(body)).get("user")).toBe("robot");
});

test("arguments that are not in the path form the JSON body", () => {
  const request = encodeRequest(put, { org: "acme", enabled: true, list: [1, { a: null }] });
  expect(request).toMatchObject({ path: "/repos/acme", body: '{"enabled":true,"list":[1,{"a":null}]}' });
});

test("a read without a body sends none", () => {
  expect(encodeRequest(getAccess, { projectName: "p" })).not.toHaveProperty("body");
});

test.each([
  ["an empty segment", getAccess, { projectName: "" }],
  ["a segment that is not given", getAccess, {}],
  ["a list as a segment", getAccess, { projectName: ["a", "b"] }],
  ["half of a surrogate pair", getAccess, { projectName: "\ud800" }],
  ["half of a surrogate pair in a form", form, { name: "\ud800" }],
  ["half of a surrogate pair as a text", { ...put, path: "/a", body: "text" } as const, { value: "a\ud800" }],
  ["an object in the query", query, { project: [{ a: 1 }] }],
  ["null in a form", form, { name: null }],
  ["a body without its value", { ...put, path: "/a", body: "value" } as const, {}],
  ["a body of two values", { ...put, path: "/a", body: "text" } as const, { org: "a", other: "b" }],
])("%s is refused before anything is sent", async (_case, operation, args) => {
  const problem = await problemOf(Promise.resolve().then(() => encodeRequest(operation, args)));
  expect(problem.code).toBe("SP1002");
});

test("a path of several segments is joined as its row says, with each segment encoded", () => {
  const list = { ...getAccess, path: "/api/storage/{repoKey}/{path}?list", args: args("repoKey", "path", "deep") };
  const row = { ...list, nested: { path: "/" } };
  expect(encodeRequest(row, { repoKey: "libs", path: "a b/../c", deep: 1 }).path).toBe(
    "/api/storage/libs/a%20b/%2E%2E/c?list&deep=1",
  );
  const job = { ...getAccess, path: "/job/{job}/config.xml", args: args("job"), nested: { job: "/job/" } };
  expect(encodeRequest(job, { job: "a/b c" }).path).toBe("/job/a/job/b%20c/config.xml");
});

test("a placeholder at the start is another root: a URL given as an argument, or an entry of the service", () => {
  const stop = { ...put, path: "{build_url}/stop", args: args("buildUrl") };
  expect(encodeRequest(stop, { buildUrl: "http://ci/job/a/1" })).toMatchObject({
    path: "/stop",
    root: { is: "given", url: "http://ci/job/a/1" },
  });
  const tokens = { ...getAccess, path: "{auth_url}/api/v1/tokens", args: args() };
  expect(encodeRequest(tokens, {})).toMatchObject({ path: "/api/v1/tokens", root: { is: "entry", name: "auth" } });
});

test("a body is one JSON value, a text or the bytes of a file, and header fields are separate", () => {
  const value = { ...put, path: "/p?key", args: args("key", "value"), body: "value" } as const;
  expect(encodeRequest(value, { key: "locale", value: "de" })).toMatchObject({ path: "/p?key=locale", body: '"de"' });
  const text = { ...put, path: "/q", args: args("query"), body: "text" } as const;
  expect(encodeRequest(text, { query: "items.find()" }).body).toBe("items.find()");
  const file = {
    ...put,
    path: "/f",
    args: args("file", "explode"),
    headers: { explode: "X-Explode" },
    body: "file",
  } as const;
  expect(encodeRequest(file, { file: "a.zip", explode: true })).toMatchObject({
    body: { file: "a.zip" },
    headers: { "X-Explode": "true" },
  });
  const hashed = { ...file, args: args("file", "sha256") };
  expect(encodeRequest(hashed, { file: "a.zip", sha256: "0f" }).body).toEqual({ file: "a.zip", sha256: "0f" });
  const download = { ...getAccess, path: "/f", args: args("to"), answer: "file", body: "json" } as const;
  expect(encodeRequest(download, { to: "here" }).body).toBe("{}");
});
