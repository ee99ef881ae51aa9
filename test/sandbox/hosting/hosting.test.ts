import { describe, expect, test } from "vitest";
import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import { World } from "../../../src/sandbox/world.ts";
import { type Answer, accounts, ask, sandboxForTest } from "../asking.ts";

function hostingSandbox(): Promise<Sandbox> {
  const repositories = [
    {
      id: 1,
      owner: "acme",
      name: "open",
      actions: { enabled: true, allowed_actions: "selected", sha_pinning_required: true },
    },
    { id: 2, owner: "acme", name: "closed", private: true },
  ];
  return sandboxForTest({ world: World.parse({ accounts, hosting: { repositories } }) });
}

function hosting(
  sandbox: Sandbox,
  repository: string,
  init: RequestInit = {},
  authorization = "Bearer ADA",
): Promise<Answer> {
  const headers = new Headers(init.headers);
  if (authorization !== "") headers.set("authorization", authorization);
  return ask(`${sandbox.services.hosting.url}/repos/${repository}/actions/permissions`, { ...init, headers });
}

function put(sandbox: Sandbox, body: unknown, authorization?: string): Promise<Answer> {
  const init = { method: "PUT", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  return hosting(sandbox, "acme/open", init, authorization);
}

async function settings(sandbox: Sandbox): Promise<unknown> {
  return JSON.parse((await hosting(sandbox, "acme/open")).text);
}

describe("reading the actions permissions", () => {
  test.each(["token ADA", "Bearer ADA", "bearer REX"])("is possible with %s", async (authorization) => {
    const sandbox = await hostingSandbox();
    const answer = await hosting(
      sandbox,
      "acme/open",
      { headers: { accept: "application/vnd.github+json" } },
      authorization,
    );
    expect([answer.status, JSON.parse(answer.text)]).toEqual([
      200,
      {
        enabled: true,
        allowed_actions: "selected",
        selected_actions_url: `${sandbox.services.hosting.url}/repositories/1/actions/permissions/selected-actions`,
        sha_pinning_required: true,
      },
    ]);
  });

  test("finds a repository whatever the case of its name", async () => {
    expect((await hosting(await hostingSandbox(), "ACME/Open")).status).toBe(200);
  });

  test("answers 304 without a body to a caller that already has the answer", async () => {
    const sandbox = await hostingSandbox();
    const etag = (await hosting(sandbox, "acme/open")).headers.get("etag") ?? "";
    const again = await hosting(sandbox, "acme/open", { headers: { "if-none-match": `W/${etag}` } });
    expect([again.status, again.text]).toEqual([304, ""]);
    await put(sandbox, { enabled: false });
    expect((await hosting(sandbox, "acme/open", { headers: { "if-none-match": etag } })).status).toBe(200);
  });

  test("reports the remaining quota", async () => {
    const { headers } = await hosting(await hostingSandbox(), "acme/open");
    expect([headers.get("x-ratelimit-limit"), headers.get("x-ratelimit-remaining")]).toEqual(["5000", "5000"]);
  });
});

describe("setting the actions permissions", () => {
  test("answers 204, and resets omitted settings to their defaults", async () => {
    const sandbox = await hostingSandbox();
    const answer = await put(sandbox, { enabled: true });
    expect([answer.status, answer.text]).toEqual([204, ""]);
    expect(await settings(sandbox)).toEqual({ enabled: true, allowed_actions: "all", sha_pinning_required: false });
  });

  test("takes all three settings", async () => {
    const sandbox = await hostingSandbox();
    await put(sandbox, { enabled: true, allowed_actions: "local_only", sha_pinning_required: true });
    expect(await settings(sandbox)).toEqual({
      enabled: true,
      allowed_actions: "local_only",
      sha_pinning_required: true,
    });
  });

  test("drops the allowed actions of a repository in which no actions may run", async () => {
    const sandbox = await hostingSandbox();
    await put(sandbox, { enabled: false, allowed_actions: "local_only" });
    expect(await settings(sandbox)).toEqual({ enabled: false, sha_pinning_required: false });
  });

  test.each([
    [{}, `"enabled" wasn't supplied.`],
    [{ enabled: "yes" }, "For 'properties/enabled'"],
    [{ enabled: true, allowed_actions: "some" }, "For 'properties/allowed_actions'"],
    [{ enabled: true, reason: "" }, `"reason" is not a permitted key.`],
  ])("refuses %j with 422", async (body, message) => {
    const sandbox = await hostingSandbox();
    const before = sandbox.state();
    const answer = await put(sandbox, body);
    expect(answer.status).toBe(422);
    expect(JSON.parse(answer.text)).toMatchObject({
      message: expect.stringContaining(message),
      documentation_url: expect.any(String),
      errors: [expect.stringContaining(message)],
    });
    expect(sandbox.state()).toEqual(before);
  });

  test.each([
    ["text/xml", "{}", 415],
    ["application/json", "{", 400],
  ])("refuses %s with the body %s", async (type, body, status) => {
    const init = { method: "PUT", headers: { "content-type": type }, body };
    expect((await hosting(await hostingSandbox(), "acme/open", init)).status).toBe(status);
  });
});

describe("refusals", () => {
  test.each([
    ["an unknown repository", "acme/none", "Bearer ADA", 404, "Not Found"],
    ["a repository the caller may not see", "acme/closed", "Bearer MAX", 404, "Not Found"],
    ["a private repository to the world", "acme/closed", "", 404, "Not Found"],
    ["no credentials", "acme/open", "", 401, "Requires authentication"],
    ["wrong credentials", "acme/open", "token wrong", 401, "Bad credentials"],
    ["who does not administer", "acme/open", "Bearer MAX", 403, "Must have admin rights to Repository."],
  ])("%s", async (_, repository, authorization, status, message) => {
    const answer = await hosting(await hostingSandbox(), repository, {}, authorization);
    expect([answer.status, JSON.parse(answer.text)]).toEqual([
      status,
      { message, documentation_url: expect.any(String), status: String(status) },
    ]);
  });

  test("a token that may only read", async () => {
    const answer = await put(await hostingSandbox(), { enabled: false }, "Bearer REX");
    expect([answer.status, JSON.parse(answer.text).message]).toEqual([
      403,
      "Resource not accessible by personal access token",
    ]);
  });

  test("a method the path does not have", async () => {
    const answer = await hosting(await hostingSandbox(), "acme/open", { method: "DELETE" });
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, PUT"]);
  });

  test.each(["x-github-api-version", "x-vendor-api-version"])("a version in %s that never existed", async (name) => {
    const sandbox = await hostingSandbox();
    expect((await hosting(sandbox, "acme/open", { headers: { [name]: "2022-11-28" } })).status).toBe(200);
    expect((await hosting(sandbox, "acme/open", { headers: { [name]: "2020-01-01" } })).status).toBe(400);
  });

  test("a request without a user agent", async () => {
    expect((await hosting(await hostingSandbox(), "acme/open", { headers: { "user-agent": "" } })).status).toBe(403);
  });

  test("everything once the quota is used up, with the time at which it returns", async () => {
    const sandbox = await hostingSandbox();
    sandbox.change((world) => {
      world.hosting.rateLimit = { limit: 60, used: 60, reset: 1_900_000_000, tooFast: 0 };
    });
    const { status, headers } = await hosting(sandbox, "acme/open");
    expect([status, headers.get("x-ratelimit-remaining"), headers.get("x-ratelimit-reset")]).toEqual([
      403,
      "0",
      "1900000000",
    ]);
  });
});
