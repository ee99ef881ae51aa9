import { expect, test } from "vitest";
import { lineOf, supportedJava } from "../../../../src/reconcilers/ci/core-version.ts";

test.each([
  ["2.555.1", "stable", [21, 25]],
  ["2.545", "weekly", [21, 25]],
  ["2.541.1", "stable", [17, 21, 25]],
  ["2.528.3", "stable", [17, 21]],
  ["2.462.3", "stable", [11, 17, 21]],
  ["2.419", "weekly", [11, 17, 21]],
  ["2.418", "weekly", [11, 17]],
  ["2.346.1", "stable", [8, 11, 17]],
  ["2.60.1", "stable", [8]],
  ["1.500", "weekly", []],
] as const)("%s is a %s version that runs on %j", (version, line, java) => {
  expect([lineOf(version), supportedJava(version)]).toEqual([line, java]);
});
