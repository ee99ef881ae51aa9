import { describe, expect, test } from "vitest";
import { compareVersions, isVersion } from "../../src/core/text/version.ts";

const ordered = [
  "1-SNAPSHOT",
  "1-alpha2",
  "1-alpha-123",
  "1-beta-2",
  "1-b123",
  "1-m2",
  "1-m11",
  "1-rc",
  "1-rc123",
  "1",
  "1-sp",
  "1-abc",
  "1-1",
  "1-2",
  "1.1-rc1",
  "1.1",
  "1.1.0.1",
  "1.9",
  "1.10",
  "2.176",
  "2.176.1",
  "2.176.2",
  "2.426.3-rc34610",
  "2.426.3",
  "2.479",
  "3.10-eap2",
  "3.10",
  "3.10.4",
  "3.10.4-12-g0ab1c2d",
  "9.12-SNAPSHOT",
  "9.12",
  "10.0.0-m06",
  "10.0",
  "600",
  "600.vb_57cdd26fdd7",
  "608.v67378e9d3db_1",
  "795.v995762102f28",
];

describe("the order of versions", () => {
  test("compares numbers by value, pre-releases below their release and later builds above it", () => {
    for (const [left, a] of ordered.entries())
      for (const [right, b] of ordered.entries())
        expect([a, b, Math.sign(compareVersions(a, b))]).toEqual([a, b, Math.sign(left - right)]);
  });

  test.each([
    ["1", "1.0"],
    ["1.0.0", "1"],
    ["1-0", "1"],
    ["1.0-final", "1-GA"],
    ["1-cr2", "1-rc2"],
    ["1-a1", "1-alpha-1"],
    ["1-ea2", "1-rc2"],
    ["1.0-alpha1", "1-alpha1"],
    ["1.0.0-rc1.0", "1-rc1"],
    ["1..2", "1.0.2"],
    ["1-0.0", "1"],
    ["1-final", "1"],
    ["V2 (private)", "2"],
    ["v3.10.4", "3.10.4"],
    ["2.479.3 ", "2.479.3"],
    ["2.1-SNAPSHOT", "2.1-SNAPSHOT (private-0a1b2c3d-ada)"],
  ])("%s and %s are the same version", (a, b) => {
    expect(compareVersions(a, b)).toBe(0);
    for (const other of ordered)
      expect([other, Math.sign(compareVersions(a, other))]).toEqual([other, Math.sign(compareVersions(b, other))]);
  });

  test.each([
    ["1-a", "1-alpha"],
    ["1-rev2", "1-re2"],
    ["1 (a) 2", "1 2"],
    ["1-abc", "1-abd"],
    ["1.1", "1.1.1"],
    ["1-1", "1.1"],
    ["1-1-1", "1-1"],
  ])("%s and %s are different versions", (a, b) => {
    const order = Math.sign(compareVersions(a, b));
    expect([order, Math.sign(compareVersions(b, a))]).toEqual([order, -order]);
    expect(order).not.toBe(0);
  });
});

test("a text that does not begin with a number cannot be compared", () => {
  expect(["1", "v1.2", "3-rc1"].map(isVersion)).toEqual([true, true, true]);
  expect(["", "latest", "<none>", "version", "release1", "vv1"].map(isVersion)).toEqual(Array(6).fill(false));
});

test("a very long version is compared by its beginning", () => {
  expect(compareVersions("2-".repeat(100_000), "1-".repeat(100_000))).toBeGreaterThan(0);
});
