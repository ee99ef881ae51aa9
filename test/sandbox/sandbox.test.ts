import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { ProblemError } from "../../src/core/problem.ts";
import { defaultWorld } from "../../src/sandbox/default-world.ts";
import { startSandbox } from "../../src/sandbox/sandbox.ts";
import { ask, basic, sandboxForTest } from "./asking.ts";

const authorization = basic("admin", "secret");
const access = "/a/projects/tools/access";

function directory(): string {
  const path = mkdtempSync(join(tmpdir(), "sandbox-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

describe("recorded requests", () => {
  test("name the operation and its effect, which does not follow from the method", async () => {
    const sandbox = await sandboxForTest();
    await ask(`${sandbox.services.review.url}${access}`, { headers: { authorization } });
    await ask(`${sandbox.services.analysis.url}/review/api`, {
      method: "POST",
      body: new URLSearchParams({ user: "admin", ltoken: "secret", action: "roles" }),
    });
    expect(sandbox.requests()).toEqual([
      { method: "GET", path: access, service: "review", operation: "getProjectAccess", effect: "read", status: 200 },
      { method: "POST", path: "/review/api", service: "analysis", operation: "roles", effect: "read", status: 200 },
    ]);
  });

  test("include those that are refused or that no operation answers", async () => {
    const sandbox = await sandboxForTest();
    await ask(`${sandbox.services.review.url}${access}`);
    await ask(`${sandbox.services.hosting.url}/nothing/here`);
    await ask(`${sandbox.url}/mail`);
    expect(sandbox.requests()).toEqual([
      { method: "GET", path: access, service: "review", status: 401 },
      { method: "GET", path: "/nothing/here", service: "hosting", status: 404 },
      { method: "GET", path: "/mail", status: 404 },
    ]);
  });

  test("can also be listed and emptied over HTTP, which is not recorded", async () => {
    const sandbox = await sandboxForTest();
    await ask(`${sandbox.services.review.url}${access}`, { headers: { authorization } });
    expect(JSON.parse((await ask(`${sandbox.url}/_sandbox/requests`)).text)).toEqual(sandbox.requests());
    expect((await ask(`${sandbox.url}/_sandbox/requests`, { method: "DELETE" })).status).toBe(204);
    expect(sandbox.requests()).toEqual([]);
  });

  test("never contain a secret, neither in memory nor in the log", async () => {
    const log = join(directory(), "requests.jsonl");
    const sandbox = await sandboxForTest({ log });
    const secrets = ["s3cr3t-header", "s3cr3t-query", "s3cr3t-form"];
    await ask(`${sandbox.services.wiki.url}/rest/api/content/48213?expand=space&os_password=s3cr3t-query`, {
      headers: { authorization: "Bearer s3cr3t-header" },
    });
    await ask(`${sandbox.services.analysis.url}/review/api`, {
      method: "POST",
      body: new URLSearchParams({
        user: "admin",
        ltoken: "secret",
        action: "create_user",
        name: "x",
        password: "s3cr3t-form",
      }),
    });
    const written = readFileSync(log, "utf8");
    expect(
      written
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual(sandbox.requests());
    for (const secret of secrets) expect(written + JSON.stringify(sandbox.state())).not.toContain(secret);
  });
});

describe("the world", () => {
  test("is copied on the way out: changes to the copy do not affect it", async () => {
    const sandbox = await sandboxForTest();
    sandbox.state().wiki.pages = {};
    expect(sandbox.state()).toEqual(defaultWorld());
  });

  test("is not shared by two sandboxes that start with the same world", async () => {
    const world = defaultWorld();
    const [one, other] = [await sandboxForTest({ world }), await sandboxForTest({ world })];
    one.change((changed) => {
      changed.wiki.pages = {};
    });
    expect([other.state(), world]).toEqual([defaultWorld(), defaultWorld()]);
  });

  test("can be changed as if by someone else, but not into an invalid world", async () => {
    const sandbox = await sandboxForTest();
    expect(() => sandbox.change((world) => world.accounts.splice(0))).toThrow();
    expect(sandbox.state()).toEqual(defaultWorld());
  });

  test("can be read and replaced over HTTP; an invalid world is refused with all its errors", async () => {
    const sandbox = await sandboxForTest();
    const state = `${sandbox.url}/_sandbox/state`;
    const world = JSON.parse((await ask(state)).text);
    expect(world).toEqual(defaultWorld());
    const refused = await ask(state, { method: "PUT", body: JSON.stringify({ ...world, wiki: 1, mail: 2 }) });
    expect([refused.status, JSON.parse(refused.text).problems]).toMatchObject([
      400,
      [{ code: "SP1002" }, { code: "SP1004" }],
    ]);
    const deep = await ask(state, { method: "PUT", body: `{"wiki":${"[".repeat(5000)}${"]".repeat(5000)}}` });
    expect([deep.status, JSON.parse(deep.text).problems]).toMatchObject([400, [{ code: "SP1011" }]]);
    expect((await ask(state, { method: "PUT", body: JSON.stringify({ ...world, wiki: {} }) })).status).toBe(204);
    expect(sandbox.state().wiki.pages).toEqual({});
  });

  test("outlives the sandbox in a directory, and then takes precedence over the given world", async () => {
    const stateDir = join(directory(), "state");
    const first = await startSandbox({ stateDir });
    await ask(`${first.services.review.url}${access}`, {
      method: "POST",
      headers: { authorization, "content-type": "application/json" },
      body: JSON.stringify({ add: { "refs/heads/x": { permissions: { read: { rules: { "1": {} } } } } } }),
    });
    const kept = first.state();
    await first.close();
    expect(kept).not.toEqual(defaultWorld());
    expect((await sandboxForTest({ stateDir, world: defaultWorld() })).state()).toEqual(kept);
  });

  test("with errors in the directory is a problem, and the file does not change", async () => {
    const stateDir = directory();
    writeFileSync(join(stateDir, "world.json"), "{}");
    await expect(startSandbox({ stateDir })).rejects.toThrow(ProblemError);
    expect(readFileSync(join(stateDir, "world.json"), "utf8")).toBe("{}");
  });
});

describe("the server", () => {
  test.each([
    ["POST", "review", "/a/projects/tools/access", basic("admin", "secret")],
    ["POST", "hosting", "/repos/meridian-kites/website/actions/workflows/publish.yml/dispatches", "Bearer secret"],
    ["PUT", "tracker", "/rest/api/2/mypreferences/locale", basic("admin", "secret")],
    ["PUT", "wiki", "/rest/api/content/48213", basic("admin", "secret")],
  ])(
    "refuses a body that is nested so deeply that reading it would exhaust the stack: %s %s",
    async (method, role, path, authorization) => {
      const sandbox = await sandboxForTest();
      const deep = `${"[".repeat(5000)}${"]".repeat(5000)}`;
      const headers = { authorization, "content-type": "application/json" };
      for (const body of [deep, `{"inputs":{"a":${deep}},"add":{"a":${deep}},"body":${deep}}`])
        expect((await ask(`${sandbox.url}/${role}${path}`, { method, headers, body })).status).toBe(400);
    },
  );

  test("answers HEAD as GET without a body", async () => {
    const sandbox = await sandboxForTest();
    const answer = await ask(`${sandbox.services.review.url}${access}`, { method: "HEAD", headers: { authorization } });
    expect([answer.status, answer.text]).toEqual([200, ""]);
  });

  test.each(["review/a/projects/tools/access", "hosting/x", "analysis/review/api", "wiki/rest/api/content/1"])(
    "refuses a body over its limit: %s",
    async (path) => {
      const sandbox = await sandboxForTest();
      const answer = await ask(`${sandbox.url}/${path}`, { method: "POST", body: "x".repeat(10 * 1024 * 1024 + 1) });
      expect(answer.status).toBe(413);
    },
  );

  test("refuses a request whose line and header are longer than most products accept", async () => {
    const sandbox = await sandboxForTest();
    const url = `${sandbox.services.review.url}/a/access/?project=${"x".repeat(8192)}`;
    expect((await ask(url, { headers: { authorization } })).status).toBe(431);
  });

  test.each(["access", "nothing"])("refuses a path that is not percent-encoded text: %s", async (view) => {
    const sandbox = await sandboxForTest();
    const answer = await ask(`${sandbox.services.review.url}/a/projects/%FF/${view}`, { headers: { authorization } });
    expect([answer.status, sandbox.requests()]).toMatchObject([400, [{ status: 400 }]]);
  });

  test("rejects a port that is taken", async () => {
    const { url } = await sandboxForTest();
    await expect(startSandbox({ port: Number(new URL(url).port) })).rejects.toMatchObject({ code: "EADDRINUSE" });
  });
});
