import { expect, test } from "vitest";
import { renderProblems } from "../../src/reports/text/problems.ts";
import { mistakes } from "./report-fixture.ts";

const screen = { width: 80, color: false, summary: "4 mistakes in 2 of 14 files." } as const;

test("problems are in the order of the files, with their text, both places and the hint", () => {
  expect(renderProblems(mistakes, screen)).toMatchInlineSnapshot(`
    "manifests/b.yaml:1:7  SP1006  review/BranchLock/platform/core:release-2.4 is
        declared twice.
      1 │ kind: BranchLock
        │       ^^^^^^^^^^
      See also manifests/a.yaml:7:7
      6 │ ---
      7 │ kind: BranchLock
        │       ^^^^^^^^^^
      Hint: Remove one of the two documents.
    manifests/locks.yaml:3:3  SP1004  BranchLock has no field "projekt". Did you
        mean "project"?
      2 │ spec:
      3 │   projekt: platform/core
        │   ^^^^^^^
    manifests/locks.yaml:10:14  SP1002  "yes" is not a boolean: write true or false.
       9 │   branch: release-2.4
      10 │   exclusive: "yes"
         │              ^^^^^
    wiki.getPage  SP3003  The service did not accept the credentials.
      Hint: Set SETPOINT_WIKI_TOKEN to a valid token.
    4 mistakes in 2 of 14 files."
  `);
});

test("a hint that consecutive problems without a file share is shown once", () => {
  const missing = (name: string) =>
    ({ code: "SP5001", message: `--${name} is missing.`, hint: "See --help." }) as const;
  expect(renderProblems(["a", "b"].map(missing), screen).split("\n")).toEqual([
    "SP5001  --a is missing.",
    "SP5001  --b is missing.",
    "  Hint: See --help.",
    screen.summary,
  ]);
});

test("problems that are left out are counted, and their files named", () => {
  const inFile = (file: string) =>
    ({ code: "SP1001", message: "Wrong.", place: { file, line: 1, column: 1 } }) as const;
  const problems = [inFile("a.yaml"), inFile("b.yaml"), inFile("c.yaml"), inFile("c.yaml"), inFile("d\u202e.yaml")];
  const lines = (all: typeof problems | typeof mistakes, most: number) =>
    renderProblems(all, { ...screen, most }).split("\n");
  expect(lines(problems, 2)).toEqual([
    "a.yaml:1:1  SP1001  Wrong.",
    "b.yaml:1:1  SP1001  Wrong.",
    "… and 3 more, in c.yaml, d\\u{202e}.yaml. --json has all.",
    screen.summary,
  ]);
  expect(lines(mistakes, 3)).toContain("… and 1 more. --json has all.");
});

test("carets point at the error, whatever precedes it", () => {
  const mark = (line: string, wanted: string) => {
    const place = { file: "a.yaml", line: 1, column: line.indexOf(wanted) + 1, length: wanted.length, excerpt: [line] };
    const [, text = "", carets = ""] = renderProblems([{ code: "SP1002", message: "Wrong.", place }], screen).split(
      "\n",
    );
    return [text.trimStart(), carets.trimStart()];
  };
  expect(mark("\tkey: vaule", "vaule")).toEqual(["1 │ \\tkey: vaule", "│        ^^^^^"]);
  expect(mark("名前: vaule", "vaule")).toEqual(["1 │ 名前: vaule", "│       ^^^^^"]);
  expect(mark("a\u202eb: vaule", "vaule")).toEqual(["1 │ a\\u{202e}b: vaule", "│             ^^^^^"]);
  expect(mark(`${"x".repeat(200)}vaule${"y".repeat(200)}`, "vaule")).toEqual([
    `1 │ …${"x".repeat(18)}vaule${"y".repeat(48)}…`,
    `│ ${" ".repeat(19)}^^^^^`,
  ]);
});

test("a problem without a file names its resource, unless its message does", () => {
  const problem = { code: "SP3005", message: "The service has no such object.", address: "wiki/WikiPage/1" } as const;
  expect(renderProblems([problem], screen)).toBe(
    "SP3005  The service has no such object.\n  Resource: wiki/WikiPage/1\n4 mistakes in 2 of 14 files.",
  );
});
