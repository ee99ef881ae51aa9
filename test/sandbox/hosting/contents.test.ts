import { describe, expect, test } from "vitest";
import { World } from "../../../src/sandbox/world.ts";
import { sandboxForTest } from "../asking.ts";
import { hosting, read, tipOf, website } from "./hosting.ts";

describe("lists", () => {
  test("come in pages of 30 with links to the others, which keep the query", async () => {
    const sandbox = await sandboxForTest();
    sandbox.change(({ hosting: { repositories } }) => {
      const [first] = repositories;
      for (let number = 100; number < 201; number++) first?.issues["6"]?.push(comment(number));
    });
    const path = `${website}/issues/6/comments`;
    const { base, headers, text } = {
      base: `${sandbox.services.hosting.url}${path}`,
      ...(await hosting(sandbox, path)),
    };
    expect(JSON.parse(text)).toHaveLength(30);
    expect(headers.get("link")).toBe(`<${base}?page=2>; rel="next", <${base}?page=4>; rel="last"`);
    const second = await hosting(sandbox, `${path}?per_page=2&page=2&since=2026-01-01T00:00:00Z`);
    const query = "per_page=2&page=3&since=2026-01-01T00%3A00%3A00Z";
    expect(second.headers.get("link")).toContain(`<${base}?${query}>; rel="next"`);
    expect(second.headers.get("link")).toContain(`page=1&since=2026-01-01T00%3A00%3A00Z>; rel="first"`);
  });

  test("have at most 100 entries per page, and none beyond the last page", async () => {
    const sandbox = await sandboxForTest();
    sandbox.change(({ hosting: { repositories } }) => {
      for (let number = 100; number < 201; number++) repositories[0]?.issues["6"]?.push(comment(number));
    });
    const path = `${website}/issues/6/comments?per_page=500`;
    expect(await read(sandbox, path)).toHaveLength(100);
    const beyond = await hosting(sandbox, `${path}&page=9`);
    expect([beyond.text, beyond.headers.get("link")]).toEqual(["[]", expect.stringContaining('rel="prev"')]);
    expect(beyond.headers.get("link")).not.toContain("next");
  });

  test.each([
    ["/user/repos?type=public", ["telemetry", "website"]],
    ["/user/repos?type=owner", []],
    ["/user/repos?type=member&per_page=1", ["firmware-mirror"]],
    ["/orgs/meridian-kites/repos?type=private", ["handbook", "firmware-mirror"]],
    ["/orgs/meridian-kites/repos?type=forks", []],
    [`${website}/branches?protected=true`, ["main", "release-2.4"]],
  ])("at %s contain %j", async (path, expected) => {
    const found = await read(await sandboxForTest(), path);
    expect(found.map(({ name }: { readonly name: string }) => name)).toEqual(expected);
  });

  test.each([
    ["", 4],
    ["?sha=feature/prices", 5],
    ["?path=kites", 2],
    ["?path=kites/list.html", 2],
    ["?path=kit", 0],
    ["?author=admin", 2],
    ["?author=lin@example.org", 1],
    ["?since=2026-01-15T10:00:00Z", 2],
    ["?until=2025-03-03T08:10:00Z", 1],
  ])("at commits%s have %i commits", async (query, count) => {
    expect(await read(await sandboxForTest(), `${website}/commits${query}`)).toHaveLength(count);
  });

  test.each([
    ["status=completed", [9002, 9001]],
    ["status=success", [9001]],
    ["event=push", [9001]],
    ["branch=main&actor=admin", [9003, 9001]],
  ])("of runs with %s contain %j", async (query, expected) => {
    const { total_count, workflow_runs } = await read(await sandboxForTest(), `${website}/actions/runs?${query}`);
    expect([total_count, workflow_runs.map(({ id }: { readonly id: number }) => id)]).toEqual([
      expected.length,
      expected,
    ]);
  });

  test("show ordinary accounts and anonymous callers only what is public", async () => {
    const sandbox = await sandboxForTest();
    for (const secret of ["jdoe-secret", ""])
      expect(await read(sandbox, "/orgs/meridian-kites/repos", secret)).toMatchObject([
        { name: "telemetry", permissions: { admin: false, push: false, pull: true } },
        { name: "website" },
      ]);
    expect((await hosting(sandbox, "/orgs/jdoe/repos")).status).toBe(404);
  });
});

describe("commits and branches", () => {
  test("a commit of the same second as its parent is listed first", async () => {
    const sandbox = await sandboxForTest();
    const sha = tipOf(sandbox);
    const parent = "a".repeat(40);
    sandbox.change(({ hosting: { repositories } }) => {
      const tip = repositories[0]?.commits.find((commit) => commit.sha === sha);
      if (tip === undefined) throw new Error("The main branch has no commit.");
      repositories[0]?.commits.push({ ...tip, sha: parent });
      tip.parents = [parent];
    });
    const [first, second] = await read(sandbox, `${website}/commits`);
    expect([first, second]).toMatchObject([{ sha }, { sha: parent }]);
  });

  test.each(["main", "heads/main", "whole", "short"])("a commit is found by %s", async (name) => {
    const sandbox = await sandboxForTest();
    const sha = tipOf(sandbox);
    const ref = name === "whole" ? sha : name === "short" ? sha.slice(0, 7) : encodeURIComponent(name);
    expect(await read(sandbox, `${website}/commits/${ref}`)).toMatchObject({
      sha,
      stats: { additions: 1, deletions: 1, total: 2 },
      files: [{ filename: "kites/list.html", status: "modified", changes: 2 }],
    });
  });

  test.each([
    [`${website}/commits/gone`, 422, "No commit found for SHA: gone"],
    [`${website}/commits?sha=gone`, 404, "Not Found"],
    [`${website}/branches/gone`, 404, "Branch not found"],
    [`${website}/git/ref/heads/gone`, 404, "Not Found"],
    [`${website}/pulls/6`, 404, "Not Found"],
    [`${website}/issues/99/comments`, 404, "Not Found"],
    ["/repos/meridian-kites/telemetry/releases/latest", 404, "Not Found"],
    ["/repos/meridian-kites/handbook/commits", 409, "Git Repository is empty."],
    ["/repos/meridian-kites/handbook/git/ref/heads/main", 409, "Git Repository is empty."],
  ])("%s is refused with %i", async (path, status, message) => {
    const answer = await hosting(await sandboxForTest(), path);
    expect([answer.status, JSON.parse(answer.text).message]).toEqual([status, message]);
  });

  test.each(["git/refs/heads/main", "git/ref/heads/main", "git/ref/heads%2Fmain"])(
    "a reference is read at %s",
    async (path) => {
      const sandbox = await sandboxForTest();
      const found = await read(sandbox, `${website}/${path}`);
      expect(found).toMatchObject({ ref: "refs/heads/main", object: { sha: tipOf(sandbox), type: "commit" } });
    },
  );

  test("a merged pull request says so", async () => {
    expect(await read(await sandboxForTest(), `${website}/pulls/7`)).toMatchObject({
      state: "closed",
      merged: true,
      merged_at: "2026-02-03T07:20:00Z",
      closed_at: "2026-02-03T07:20:00Z",
      merged_by: { login: "admin" },
      mergeable: null,
    });
  });
});

describe("the service itself", () => {
  test("draws its mascot, which says the given words", async () => {
    const { headers, text } = await hosting(await sandboxForTest(), "/octocat?s=Up%20and%20away");
    expect([headers.get("content-type"), text]).toEqual([
      "application/octocat-stream",
      expect.stringContaining("Up and away"),
    ]);
    expect((await hosting(await sandboxForTest(), "/walrus")).status).toBe(404);
  });

  test("reports the remaining quota, even if it is used up", async () => {
    const sandbox = await sandboxForTest();
    sandbox.change((world) => {
      world.hosting.rateLimit.used = 5000;
    });
    expect((await hosting(sandbox, "/user")).status).toBe(403);
    expect(await read(sandbox, "/rate_limit")).toMatchObject({
      resources: { core: { used: 5000, remaining: 0 }, integration_manifest: { used: 0, remaining: 5000 } },
    });
  });
});

test("a world with a branch whose commit is missing is refused", () => {
  const { accounts, hosting: contents } = World.parse({
    accounts: [{ username: "a", name: "A", secret: "s", rights: "admin" }],
    hosting: { repositories: [{ id: 1, owner: "o", name: "r" }] },
  });
  const [repository] = contents.repositories;
  const branches = { main: { sha: "0".repeat(40) } };
  const broken = World.safeParse({ accounts, hosting: { repositories: [{ ...repository, branches }] } });
  expect(broken.error?.issues.map(({ path }) => path.join("."))).toEqual(["hosting.repositories.0.branches.main.sha"]);
});

function comment(id: number) {
  return { id, user: "jdoe", body: `Comment ${id}`, created_at: "2026-03-01T00:00:00Z" };
}

test.each([
  "branches/feature/prices",
  "branches/feature%2Fprices",
  "commits/feature/prices",
  "commits/feature%2Fprices",
  "git/refs/heads/feature/prices",
  "git/ref/heads%2Ffeature%2Fprices",
  "commits/feature/prices/statuses",
  "statuses/feature/prices",
])("a slash in a branch's name can be raw or encoded: %s", async (path) => {
  expect((await hosting(await sandboxForTest(), `${website}/${path}`)).status).toBe(200);
});
