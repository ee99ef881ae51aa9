import { expect, test } from "vitest";
import type { Trusted } from "../../src/core/run/plan.ts";
import { styleOf } from "../../src/reports/text/style.ts";
import { renderTrusted, trustedLines } from "../../src/reports/text/trusted-text.ts";

const options = { width: 80, color: false };

const trusted: Trusted = {
  ref: "origin/main",
  commit: "0123456789abcdef0123456789abcdef01234567",
  changes: [],
  onceMerged: [],
};

test("unchanged rules are one line", () => {
  expect(renderTrusted(trusted, options)).toBe(
    "Judged by the rules at origin/main (0123456789), which are the same here.",
  );
  expect(trustedLines({ unknown: [] }, false, styleOf(options))).toEqual([]);
});

test("a change shows its place and both values; long values are cut, and a missing value is nothing", () => {
  const changes = [
    { file: "policies/a.json", path: [], trusted: {}, head: { a: "x".repeat(200) } },
    {
      file: "setpoint.yaml",
      path: ["guards", "maxDeletes"],
      trusted: 5,
      place: { file: "setpoint.yaml", line: 7, column: 3 },
    },
  ];
  expect(
    renderTrusted({ ...trusted, changes }, { ...options, width: 160 })
      .split("\n")
      .slice(1),
  ).toEqual([
    `  policies/a.json  the whole file  {} → {"a":"${"x".repeat(73)}…`,
    "  setpoint.yaml:7  guards.maxDeletes  5 → nothing",
  ]);
});

test("long values are cut where they differ, however late that is", () => {
  const globs = Array.from({ length: 20 }, (_, index) => `teams/${index}/*.yaml`);
  const change = {
    file: "setpoint.yaml",
    path: ["manifests"],
    trusted: globs,
    head: globs.with(18, "elsewhere/*.yaml"),
  };
  const [, line = ""] = renderTrusted({ ...trusted, changes: [change] }, { ...options, width: 250 }).split("\n");
  const [before, after] = line.replace(/.*manifests {2}/, "").split(" → ");
  expect([before, after]).toEqual([
    '…,"teams/17/*.yaml","teams/18/*.yaml","teams/19/*.yaml"]',
    '…,"teams/17/*.yaml","elsewhere/*.yaml","teams/19/*.yaml"]',
  ]);
});

test("the first of many changes are listed, or all on request", () => {
  const changes = Array.from({ length: 1024 }, (_, index) => ({ file: "v.yaml", path: [`v${index}`], head: index }));
  const listed = (all: boolean) =>
    trustedLines({ trusted: { ...trusted, changes }, unknown: [] }, all, styleOf(options));
  expect(listed(false)).toHaveLength(22);
  expect(listed(false).at(-1)).toBe("  … 1,004 more; --all lists them");
  expect(listed(true)).toHaveLength(1025);
});

test("a value cannot move the cursor", () => {
  const changes = [{ file: "v.yaml", path: ["a\u001b[2Jb"], head: "\u001b]0;x\u0007" }];
  expect(renderTrusted({ ...trusted, changes }, options).replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
});
