import { describe, expect, test } from "vitest";
import { ask, basic } from "../asking.ts";
import { devs, localRules, registered, review, reviewSandbox, unguarded } from "./review.ts";

const locked = {
  "refs/heads/x": {
    push: { exclusive: true, rules: [{ group: registered, action: "BLOCK" }] },
    "label-Code-Review": { rules: [{ group: devs, min: -2, max: 2 }] },
  },
  "refs/for/refs/heads/x": { push: { rules: [{ group: registered, action: "BLOCK" }] } },
};

describe("the access of a project", () => {
  test("is JSON behind a guard line, with the characters that are special in HTML escaped", async () => {
    const sandbox = await reviewSandbox({ "refs/heads/a&b": { push: { rules: [{ group: registered }] } } });
    const answer = await review(sandbox, "/a/projects/a%2Fb/access");
    expect(answer.headers.get("content-type")).toBe("application/json;charset=utf-8");
    expect(answer.text).toMatch(/^\)\]\}'\n\{.*refs\/heads\/a\\u0026b.*\}\n$/);
  });

  test("omits false booleans except a rule's force, and keys rules by the group's UUID", async () => {
    expect(await localRules(await reviewSandbox(locked))).toEqual({
      "refs/heads/x": {
        permissions: {
          push: { exclusive: true, rules: { [registered]: { action: "BLOCK", force: false } } },
          "label-Code-Review": {
            label: "Code-Review",
            rules: { [devs]: { action: "ALLOW", force: false, min: -2, max: 2 } },
          },
        },
      },
      "refs/for/refs/heads/x": {
        permissions: { push: { rules: { [registered]: { action: "BLOCK", force: false } } } },
      },
    });
  });

  test("tells an administrator that they own it, and names the groups that occur", async () => {
    const access = unguarded(await review(await reviewSandbox(locked), "/a/projects/a%2Fb/access"));
    expect(access).toMatchObject({
      revision: expect.stringMatching(/^[0-9a-f]{40}$/),
      inherits_from: { id: "All-Projects", name: "All-Projects", state: "ACTIVE" },
      is_owner: true,
      owner_of: ["refs/heads/x", "refs/for/refs/heads/x"],
      can_upload: true,
      can_add: true,
      can_add_tags: true,
      config_visible: true,
      groups: {
        [registered]: { name: "Registered Users" },
        [devs]: { name: "Developers", url: `#/admin/groups/uuid-${devs}` },
      },
    });
  });

  test("shows an account that may not read the configuration only some sections, without permissions", async () => {
    const access = unguarded(
      await review(await reviewSandbox(locked), "/a/projects/a%2Fb/access", { username: "max" }),
    );
    expect(access).toMatchObject({
      local: { "refs/heads/x": { permissions: {} } },
      owner_of: [],
      config_visible: false,
    });
    expect(access).not.toHaveProperty("is_owner");
    expect(access).not.toHaveProperty(["local", "refs/for/refs/heads/x"]);
  });

  test("shows everything to an account that may read the configuration without owning it", async () => {
    const access = unguarded(
      await review(await reviewSandbox(locked), "/a/projects/a%2Fb/access", { username: "rex" }),
    );
    expect(access).toMatchObject({
      owner_of: [],
      config_visible: true,
      local: { "refs/heads/x": { permissions: { push: {} } } },
    });
    expect(access).not.toHaveProperty("is_owner");
  });

  test("shows only the first of a group's rules", async () => {
    const sandbox = await reviewSandbox({
      "refs/heads/x": { push: { rules: [{ group: registered }, { group: registered, action: "BLOCK" }] } },
    });
    expect(await localRules(sandbox)).toMatchObject({
      "refs/heads/x": { permissions: { push: { rules: { [registered]: { action: "ALLOW" } } } } },
    });
  });

  test.each([
    ["/a/projects/nope/access", "Not found: nope"],
    ["/a/projects/a/b/access", "Not found: a"],
    ["/a/projects/a%252Fb/access", "Not found: a%2Fb"],
    ["/a/projects/a%2Fb/nothing", "Not found: nothing"],
  ])("%s is not found, in plain text", async (path, text) => {
    const answer = await review(await reviewSandbox(), path);
    expect([answer.status, answer.text, answer.headers.get("content-type")]).toEqual([
      404,
      `${text}\n`,
      "text/plain;charset=utf-8",
    ]);
  });

  test("is not at an unknown path, which the underlying web server answers", async () => {
    const answer = await review(await reviewSandbox(), "/a/nothing");
    expect([answer.status, answer.text]).toEqual([404, "Not Found"]);
    expect(answer.headers.get("content-type")).toBe("text/plain;charset=iso-8859-1");
  });

  test("treats a plus in the path as a space", async () => {
    const sandbox = await reviewSandbox({}, { "e f": {}, "a+b": {} });
    expect((await review(sandbox, "/a/projects/e+f/access")).status).toBe(200);
    expect((await review(sandbox, "/a/projects/a+b/access")).text).toBe("Not found: a b\n");
    expect((await review(sandbox, "/a/projects/a%2Bb/access")).status).toBe(200);
  });

  test("of a hidden project is for administrators only", async () => {
    const sandbox = await reviewSandbox({}, { dark: { state: "HIDDEN" } });
    expect((await review(sandbox, "/a/projects/dark/access")).status).toBe(200);
    for (const path of [
      "projects/dark/access",
      "projects/dark/config",
      "projects/dark/branches/x",
      "access/?project=dark",
    ]) {
      const refused = await review(sandbox, `/a/${path}`, { username: "max" });
      expect([refused.status, refused.text]).toEqual([409, "project state HIDDEN does not permit read\n"]);
    }
  });

  test("has no other methods: other methods are not found", async () => {
    const answer = await review(await reviewSandbox(), "/a/projects/a%2Fb/access", { method: "PUT", body: "{}" });
    expect([answer.status, answer.text]).toEqual([404, "Not Found\n"]);
  });
});

describe("the access of several projects", () => {
  test("is keyed by plain names, sorted and without duplicates", async () => {
    const sandbox = await reviewSandbox({}, { tools: {} });
    const answer = await review(sandbox, "/a/access/?project=tools&project=a%252Fb&project=tools");
    const access = unguarded(answer);
    expect(Object.keys(access instanceof Object ? access : {})).toEqual(["a/b", "tools"]);
  });

  test.each([
    ["a%2Fb", 200],
    ["a%252Fb", 200],
    ["a%2Bb", 404],
    ["a%252Bb", 200],
    ["e%2520f", 200],
    ["e+f", 200],
  ])("decodes %s twice", async (value, status) => {
    const sandbox = await reviewSandbox({}, { "a+b": {}, "e f": {} });
    expect((await review(sandbox, `/a/access/?project=${value}`)).status).toBe(status);
  });

  test("fails as a whole for one unknown project, and names only that one", async () => {
    const answer = await review(await reviewSandbox(), "/a/access/?project=a%252Fb&project=nope");
    expect([answer.status, answer.text]).toEqual([404, "nope\n"]);
  });

  test("is empty without a project", async () => {
    expect(unguarded(await review(await reviewSandbox(), "/a/access/"))).toEqual({});
  });
});

test.each([
  ["without credentials", undefined],
  ["with a wrong password", basic("ada", "wrong")],
  ["with a token", "Bearer ADA"],
])("%s the service answers 401 in plain text", async (_, authorization) => {
  const sandbox = await reviewSandbox();
  const answer = await ask(`${sandbox.services.review.url}/a/projects/a%2Fb/access`, {
    headers: authorization === undefined ? {} : { authorization },
  });
  expect([answer.status, answer.text]).toEqual([401, "Unauthorized"]);
  expect(answer.headers.get("www-authenticate")).toBe('Basic realm="Gerrit Code Review"');
});
