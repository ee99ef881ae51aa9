import { describe, expect, test } from "vitest";
import { changesSandbox, key, post, time } from "./changes.ts";
import { review, unguarded } from "./review.ts";

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
