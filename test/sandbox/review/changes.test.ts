import { describe, expect, test } from "vitest";
import { isObject } from "../../../src/core/text/json.ts";
import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import { World } from "../../../src/sandbox/world.ts";
import { type Answer, accounts, ask, sandboxForTest } from "../asking.ts";
import { review, unguarded } from "./review.ts";

const key = `I${"a".repeat(40)}`;
const time = "2027-01-01T10:00:00Z";

function changes(...overs: readonly object[]) {
  return overs.map((over, index) => ({
    number: index + 1,
    project: "a/b",
    branch: "main",
    changeId: key,
    subject: "A change",
    owner: "max",
    created: time,
    updated: time,
    revisions: [{ created: time, files: { "m.yaml": { lines: 3, size: 12 } } }],
    ...over,
  }));
}

function changesSandbox(...overs: readonly object[]): Promise<Sandbox> {
  const projects = { "a/b": { branches: ["main", "next"] }, "e f": {} };
  return sandboxForTest({ world: World.parse({ accounts, review: { projects, changes: changes(...overs) } }) });
}

function post(sandbox: Sandbox, path: string, body: unknown, username = "ada"): Promise<Answer> {
  const headers = { "content-type": "application/json" };
  return review(sandbox, path, { method: "POST", headers, body: JSON.stringify(body), username });
}

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

describe("a review", () => {
  const path = "/a/changes/1/revisions/current/review";

  test("adds one message that counts its comments; a range's last line is the comment's line", async () => {
    const sandbox = await changesSandbox({});
    const range = { start_line: 1, start_character: 0, end_line: 2, end_character: 4 };
    const comments = {
      "m.yaml": [{ line: 3, message: "c" }, { range, line: 1, message: "r", unresolved: true }, { message: "f" }],
    };
    await post(sandbox, path, { message: " Read it \n", comments, tag: "t" });
    const listed = unguarded(await review(sandbox, "/a/changes/1/comments"));
    expect(listed).toMatchObject({
      "m.yaml": [{ message: "f" }, { line: 2, range, unresolved: true }, { line: 3, tag: "t", patch_set: 1 }],
    });
    const ofRevision = unguarded(await review(sandbox, "/a/changes/1/revisions/1/comments"));
    expect(ofRevision).toMatchObject({ "m.yaml": [{}, {}, {}] });
    expect(JSON.stringify(ofRevision)).not.toMatch(/patch_set|change_message_id/);
    expect(sandbox.state().review.changes[0]?.messages).toMatchObject([
      { author: "ada", message: "Patch Set 1:\n\n(3 comments)\n\nRead it", tag: "t" },
    ]);
  });

  test("replaces the account's earlier vote, and removes it with 0", async () => {
    const sandbox = await changesSandbox({});
    for (const value of [2, -2, 0]) await post(sandbox, path, { labels: { "Code-Review": value } });
    const [change] = sandbox.state().review.changes;
    expect(change?.votes).toMatchObject([{ account: "ada", value: 0 }]);
    expect(change?.messages.map(({ message }) => message)).toEqual([
      "Patch Set 1: Code-Review+2",
      "Patch Set 1: Code-Review-2",
      "Patch Set 1: -Code-Review",
    ]);
  });

  test.each([
    ["nothing", {}, {}],
    ["a message of spaces", { message: "  " }, {}],
    ["a comment without words", { comments: { "m.yaml": [{ line: 1, message: " " }] } }, {}],
    ["a label that is not known", { labels: { Nope: 1 } }, { labels: {} }],
    ["a vote that the label does not have", { labels: { "Code-Review": 9 } }, { labels: {} }],
  ])("with %s changes nothing", async (_, body, expected) => {
    const sandbox = await changesSandbox({});
    const before = sandbox.state();
    const answer = await post(sandbox, path, body);
    expect([answer.status, unguarded(answer)]).toEqual([200, { ...expected, change_info: expect.anything() }]);
    expect(sandbox.state()).toEqual(before);
  });

  test("omits a comment that already exists, on request", async () => {
    const sandbox = await changesSandbox({});
    const comments = { "m.yaml": [{ line: 1, message: "once" }] };
    for (const omit_duplicate_comments of [false, true, false])
      await post(sandbox, path, { comments, omit_duplicate_comments });
    expect(sandbox.state().review.changes[0]?.comments).toHaveLength(2);
  });

  test.each([
    [{ comments: { nofile: [{ line: 1, message: "x" }] } }, 400, "file nofile not found in revision 1,1"],
    [{ comments: { "m.yaml": [{ line: -1, message: "x" }] } }, 400, "negative line number -1 not allowed on m.yaml"],
    [
      {
        comments: {
          "m.yaml": [{ range: { start_line: 3, start_character: 0, end_line: 2, end_character: 0 }, message: "x" }],
        },
      },
      400,
      "Range (3:0 - 2:0) is not valid for the comment on m.yaml",
    ],
    [{ labels: { "Code-Review": 2 } }, 403, 'Applying label "Code-Review": 2 is restricted'],
    [[], 400, "Invalid application/json in request"],
  ])("%j is refused and changes nothing", async (body, status, text) => {
    const sandbox = await changesSandbox({});
    const before = sandbox.state();
    const answer = await post(sandbox, path, body, "max");
    expect([answer.status, answer.text]).toEqual([status, `${text}\n`]);
    expect(sandbox.state()).toEqual(before);
  });
});

describe("a move", () => {
  const to = (branch?: string) => (branch === undefined ? {} : { destination_branch: branch });

  test("is recorded in a message and removes all votes but vetoes", async () => {
    const vote = { label: "Code-Review", date: time };
    const votes = [
      { ...vote, account: "ada", value: 2 },
      { ...vote, account: "max", value: -2 },
    ];
    const sandbox = await changesSandbox({ votes });
    expect((await post(sandbox, "/a/changes/1/move", to("refs/heads/next"), "max")).status).toBe(200);
    expect(sandbox.state().review.changes).toMatchObject([
      {
        branch: "next",
        votes: [{ value: 0 }, { value: -2 }],
        messages: [{ message: "Change destination moved from main to next" }],
      },
    ]);
  });

  test("to a branch that has a change with the same Change-Id is refused, even if that one is closed", async () => {
    const sandbox = await changesSandbox({}, { branch: "next", status: "ABANDONED" });
    const answer = await post(sandbox, "/a/changes/1/move", to("next"));
    const text = `Destination next has a different change with same change key ${key}\n`;
    expect([answer.status, answer.text]).toEqual([409, text]);
  });

  test.each([
    [undefined, "ada", 400, "destination branch is required"],
    ["main", "ada", 409, "Change is already destined for the specified branch"],
    ["nope", "ada", 409, "Destination refs/heads/nope not found in the project"],
    ["next", "rex", 403, "move not permitted"],
  ])("to %s by %s is refused", async (branch, username, status, text) => {
    const answer = await post(await changesSandbox({}), "/a/changes/1/move", to(branch), username);
    expect([answer.status, answer.text]).toEqual([status, `${text}\n`]);
  });

  test.each(["refs/for/refs/heads/next", "refs/for/*", "^refs/for/refs/heads/n.*t$"])(
    "to a branch is refused if %s blocks its uploads, in the project or one it inherits from",
    async (ref) => {
      for (const project of ["a/b", "All-Projects"]) {
        const sandbox = await changesSandbox({});
        sandbox.change(({ review: { projects } }) => {
          const rules = [{ group: "global:Registered-Users", action: "BLOCK" as const, force: false }];
          Object.assign(projects[project] ?? {}, { access: { [ref]: { push: { exclusive: false, rules } } } });
        });
        const answer = await post(sandbox, "/a/changes/1/move", to("next"));
        expect([project, answer.status]).toEqual([project, 403]);
      }
    },
  );
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
