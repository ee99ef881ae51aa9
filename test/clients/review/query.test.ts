import fc from "fast-check";
import { expect, test } from "vitest";
import { ChangeQuery } from "../../../src/clients/review/query.ts";
import { selecting } from "../../../src/sandbox/review/change-query.ts";
import { ReviewChange } from "../../../src/sandbox/review/change-state.ts";

test.each([
  [
    { project: "platform/core", is: "closed", not: { is: "abandoned" } },
    "project:platform/core is:closed -is:abandoned",
  ],
  [{ after: "2027-01-01", before: "2027-02-01" }, "after:2027-01-01 before:2027-02-01"],
  [{ is: ["open", "reviewed"] }, "is:open is:reviewed"],
  [{ branch: "^release-.*" }, 'branch:"^release-.*"'],
  [{ project: "a b" }, 'project:"a b"'],
  [{ project: 'a"b\\c' }, 'project:"a\\"b\\\\c"'],
  [{ branch: "-x" }, 'branch:"-x"'],
  ["is:open OR is:merged", "is:open OR is:merged"],
])("%j is written as %s", (terms, text) => {
  expect(ChangeQuery.parse(terms)).toBe(text);
});

test.each([[{}], [""], [{ not: {} }], [{ after: "yesterday" }], [{ is: [] }], [{ colour: "red" }]])(
  "%j is refused before anything is sent",
  (terms) => {
    expect(ChangeQuery.safeParse(terms).success).toBe(false);
  },
);

test("a query finds the changes of exactly that project and branch, whatever the names contain", () => {
  const name = fc.string({ minLength: 1 }).filter((text) => !text.startsWith("^") && !text.startsWith("refs/heads/"));
  const time = "2027-01-01T00:00:00Z";
  const change = ReviewChange.parse({
    number: 1,
    project: "p",
    branch: "b",
    changeId: `I${"0".repeat(40)}`,
    subject: "s",
    owner: "o",
    created: time,
    updated: time,
    revisions: [{ created: time }],
  });
  fc.assert(
    fc.property(name, name, (project, branch) => {
      const query = ChangeQuery.parse({ project, not: { branch } });
      expect(selecting(query)({ ...change, project, branch: `${branch}x` })).toBe(true);
      expect(selecting(query)({ ...change, project, branch })).toBe(false);
      expect(selecting(query)({ ...change, project: `${project}x`, branch: `${branch}x` })).toBe(false);
    }),
  );
});
