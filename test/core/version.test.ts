import { expect, test } from "vitest";
import { compareVersions } from "../../src/core/version.ts";

test.each([
  ["2.9", "2.10"],
  ["2.176.1", "2.176.2"],
  ["2.176", "2.176.2"],
  ["2.99.9", "3"],
  ["3.0-rc1", "3.0"],
  ["3.0-rc1", "3.0.0"],
  ["10.0.0-m06", "10.0"],
  ["9.12-SNAPSHOT", "9.12"],
  ["2.98", "10.1"],
])("%s is older than %s", (older, newer) => {
  expect(compareVersions(older, newer)).toBeLessThan(0);
  expect(compareVersions(newer, older)).toBeGreaterThan(0);
});

test.each([
  ["3.0", "3.0.0"],
  ["v3.10.4", "3.10.4"],
  ["3.10.4-12-g0ab1c2d", "3.10.4"],
  ["2.479.3 ", "2.479.3"],
])("%s is no older and no newer than %s", (a, b) => {
  expect(compareVersions(a, b)).toBe(0);
  expect(compareVersions(b, a)).toBe(0);
});

test.each(["", "latest", "<none>"])("%j cannot be compared", (text) => {
  expect(compareVersions(text, "1")).toBeUndefined();
  expect(compareVersions("1", text)).toBeUndefined();
});
