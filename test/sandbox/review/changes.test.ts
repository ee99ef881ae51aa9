import { describe, expect, test } from "vitest";
import { isObject } from "../../../src/core/text/json.ts";
import { World } from "../../../src/sandbox/world.ts";
import { type Answer, accounts, ask, sandboxForTest } from "../asking.ts";
import { changes, changesSandbox, key, post } from "./changes.ts";
import { review, unguarded } from "./review.ts";

function numbers(answer: Answer): unknown {
  const found = unguarded(answer);
  return Array.isArray(found) ? found.map(({ _number }) => _number) : found;
}

describe("a change", () => {
  test.each(["1", key, `a%2Fb~main~${key}`, `a%2Fb~refs%2Fheads%2Fmain~${key}`, "a%2Fb~1"])(
    "is found as %s",
    async (id) => {
      const answer = await review(await changesSandbox({}), `/a/changes/${id}`);
      expect(unguarded(answer)).toMatchObject({ id: "a%2Fb~1", triplet_id: `a%2Fb~main~${key}`, _number: 1 });
    },
  );

  test.each([
    ["9", "Not found: 9\n"],
    ["nope~1", "Not found: nope~1\n"],
    [key, `Multiple changes found for ${key}\n`],
  ])("is not found as %s", async (id, text) => {
    const answer = await review(await changesSandbox({}, { branch: "next" }), `/a/changes/${id}`);
    expect([answer.status, answer.text]).toEqual([404, text]);
  });

  test("has exactly the parts that options name", async () => {
    const sandbox = await changesSandbox({});
    const plain = unguarded(await review(sandbox, "/a/changes/1"));
    expect(plain).not.toHaveProperty("revisions");
    expect(plain).not.toHaveProperty("labels");
    const options = "o=ALL_REVISIONS&o=ALL_FILES&o=DETAILED_LABELS&o=CHECK&o=SUBMITTABLE&o=MESSAGES&o=CURRENT_ACTIONS";
    const full = unguarded(await review(sandbox, `/a/changes/1?${options}`));
    expect(full).toMatchObject({ labels: { "Code-Review": {} }, problems: [], submittable: false, messages: [] });
    expect(full).toMatchObject({ permitted_labels: { "Code-Review": ["-2", "-1", " 0", "+1", "+2"] } });
    expect(Object.values(Object(isObject(full) ? full.revisions : {}))).toMatchObject([
      { _number: 1, ref: "refs/changes/01/1/1", files: { "m.yaml": { lines_inserted: 3 } } },
    ]);
  });

  test("that is closed has no submit type, and no one may vote on it", async () => {
    const sandbox = await changesSandbox({ status: "MERGED" });
    const detail = unguarded(await review(sandbox, "/a/changes/1/detail"));
    expect(detail).toMatchObject({ status: "MERGED", submit_records: [], permitted_labels: {} });
    expect(detail).not.toHaveProperty("submit_type");
  });
});

describe("a query", () => {
  const three = [
    { updated: "2027-01-03T00:00:00Z" },
    { branch: "next", updated: "2027-01-05T00:00:00Z", subject: "Second" },
    { status: "ABANDONED", project: "e f", owner: "rex" },
  ];

  test.each([
    ["project:a/b", [2, 1]],
    ['project:"e f"', [3]],
    ["project:{e f}", [3]],
    ["branch:refs/heads/next", [2]],
    ["branch:^n.*t", [2]],
    ["is:open -branch:next", [1]],
    ["NOT is:open", [3]],
    ["is:open AND owner:max", [2, 1]],
    ["after:2027-01-04", [2]],
    ["before:2027-01-04", [1, 3]],
    ["change:2 OR owner:rex", [2, 3]],
    ["Second", [2]],
    ["project:nope", []],
  ])("for %s finds the matching changes, the last changed first", async (query, expected) => {
    const sandbox = await changesSandbox(...three);
    expect(numbers(await review(sandbox, `/a/changes/?q=${encodeURIComponent(query)}`))).toEqual(expected);
  });

  test("marks the last change of a page if there are more pages", async () => {
    const sandbox = await changesSandbox(...three);
    expect(unguarded(await review(sandbox, "/a/changes/?q=after:2020-01-01&n=1&S=1"))).toMatchObject([
      { _number: 1, _more_changes: true },
    ]);
    const last = unguarded(await review(sandbox, "/a/changes/?q=after:2020-01-01&n=1&S=2"));
    expect(last).toMatchObject([{ _number: 3 }]);
    expect(JSON.stringify(last)).not.toContain("_more_changes");
  });

  test("with two parts returns a list of two lists", async () => {
    const found = unguarded(await review(await changesSandbox(...three), "/a/changes/?q=is:open&q=is:closed"));
    expect(found).toMatchObject([[{ _number: 2 }, { _number: 1 }], [{ _number: 3 }]]);
  });

  test("accepts options that the server keeps only for old clients", async () => {
    expect(
      (await review(await changesSandbox({}), "/a/changes/?q=is:open&o=DRAFT_COMMENTS&o=SKIP_MERGEABLE")).status,
    ).toBe(200);
  });

  test.each([
    ["q=", "query is empty"],
    ["q=bogus:1", "Unsupported operator bogus:1"],
    ["q=is:nope", "Unrecognized value: nope"],
    ["q=is:closed+after:soon", "Invalid date format: soon"],
    ["q=is:closed+branch:^[", "invalid regular expression ^["],
    ["q=is:open&n=x", '"x" is not a valid value for "-n"'],
    ["q=is:open&o=NOPE", '"NOPE" is not a valid value for "-o"'],
  ])("%s is refused in plain text", async (query, text) => {
    const answer = await review(await changesSandbox({}), `/a/changes/?${query}`);
    expect([answer.status, answer.text]).toEqual([400, `${text}\n`]);
  });
});

describe("without /a", () => {
  async function open(path: string, init: RequestInit = {}) {
    const sandbox = await changesSandbox({});
    return ask(`${sandbox.services.review.url}${path}`, init);
  }

  test("everyone can read comments", async () => {
    expect((await open("/changes/1/comments")).status).toBe(200);
  });

  test("a review needs an account", async () => {
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
    const answer = await open("/changes/1/revisions/current/review", init);
    expect([answer.status, answer.text]).toEqual([403, "Authentication required\n"]);
  });
});

test("projects are listed in pages, without the hidden ones", async () => {
  const world = World.parse({
    accounts,
    review: { projects: { a: { state: "HIDDEN" }, "e f": {}, b: { description: "B" } } },
  });
  const sandbox = await sandboxForTest({ world });
  expect(unguarded(await review(sandbox, "/a/projects/?d&n=1&S=1"))).toEqual({
    b: { id: "b", description: "B", state: "ACTIVE", _more_projects: true },
  });
  expect(unguarded(await review(sandbox, "/a/projects/?d&S=2"))).toEqual({ "e f": { id: "e+f", state: "ACTIVE" } });
  const shown = unguarded(await review(sandbox, "/a/projects/?d", { username: "max" }));
  expect(Object.keys(Object(shown))).toEqual(["All-Projects", "b", "e f"]);
});

test("a world with a change in an unknown project is refused", () => {
  const review = { projects: {}, changes: changes({}) };
  expect(() => World.parse({ accounts, review })).toThrow(/names no project/);
});

test("a thread is unresolved if its last comment is, however many comments it has", async () => {
  const sandbox = await changesSandbox({});
  const say = (comment: object) =>
    post(sandbox, "/a/changes/1/revisions/1/review", { comments: { "m.yaml": [{ line: 1, ...comment }] } });
  const comments = async () => unguarded(await review(sandbox, "/a/changes/1/comments"));
  const unresolved = async () => {
    const change = unguarded(await review(sandbox, "/a/changes/1"));
    return isObject(change) ? change.unresolved_comment_count : undefined;
  };
  await say({ message: "one", unresolved: true });
  await say({ message: "two", unresolved: true });
  expect(await unresolved()).toBe(2);
  const listed = await comments();
  const first = isObject(listed) && Array.isArray(listed["m.yaml"]) ? listed["m.yaml"][0].id : "";
  await say({ message: "done", unresolved: false, in_reply_to: first });
  expect(await unresolved()).toBe(1);
  expect(await comments()).toMatchObject({
    "m.yaml": expect.arrayContaining([expect.objectContaining({ message: "done", in_reply_to: first })]),
  });
});
