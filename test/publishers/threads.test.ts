import { expect, test } from "vitest";
import type { CommentRecord } from "../../src/clients/review/records.ts";
import { postsFor } from "../../src/publishers/threads.ts";

const count = 300;
const updated = "2027-01-14 09:00:00.000000000";

test("each comment is compared once, however many remarks there are", () => {
  let looks = 0;
  const comments = Array.from(
    { length: count },
    (_, index): CommentRecord => ({
      id: `c${index}`,
      line: index + 1,
      patch_set: 1,
      updated,
      get message() {
        looks++;
        return `remark ${index}`;
      },
    }),
  );
  const remarks = Array.from({ length: count }, (_, index) => ({
    path: "a.yaml",
    line: index + 2,
    message: `remark ${index + 1}`,
    unresolved: false,
  }));
  const posts = postsFor(remarks, { "a.yaml": comments }, 1, () => true);
  expect(posts.get(1)).toEqual({
    "a.yaml": [
      { line: count + 1, message: `remark ${count}`, unresolved: false },
      { line: 1, message: "No longer so.", unresolved: false, in_reply_to: "c0" },
    ],
  });
  expect(looks).toBeLessThanOrEqual(4 * count);
});

test("a thread ends only with an answer of ours, and a newer patch set's comments are left alone", () => {
  const ours = { author: { _account_id: 1, username: "robot" } };
  const on = (id: string, more: Partial<CommentRecord> = {}): CommentRecord => ({
    id,
    line: 1,
    patch_set: 2,
    updated,
    message: "remark",
    ...ours,
    ...more,
  });
  const later = updated.replace("09:00", "09:01");
  const answer = { message: "No longer so.", updated: later };
  const comments = {
    // Ours, with an answer of ours before the last one: it has ended.
    "ended.yaml": [
      on("e1", answer),
      on("e0", { in_reply_to: "e1", message: "Why?" }),
      on("e2", { in_reply_to: "e1", ...answer }),
    ],
    "person.yaml": [on("p0"), on("p1", { in_reply_to: "p0", author: { _account_id: 2, username: "jdoe" }, ...answer })],
    "newer.yaml": [on("n0", { patch_set: 3, unresolved: true })],
    "spaced.yaml": [on("s0", { message: "remark \n" })],
  };
  const remark = { line: 1, message: "remark", unresolved: false };
  const remarks = ["spaced.yaml", "fresh.yaml", "fresh.yaml"].map((path) => ({ path, ...remark }));
  const posts = postsFor(remarks, comments, 2, ({ author }) => author?.username === "robot");
  expect([...posts]).toEqual([
    [
      2,
      {
        "fresh.yaml": [remark],
        "person.yaml": [{ line: 1, message: "No longer so.", unresolved: false, in_reply_to: "p0" }],
      },
    ],
  ]);
});
