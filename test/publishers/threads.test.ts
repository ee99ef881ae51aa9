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
