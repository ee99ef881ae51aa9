import { expect, test } from "vitest";
import {
  type AccessMarker,
  branchPatterns,
  groupKey,
  groupName,
  livePermission,
  plainRule,
} from "../../../../src/reconcilers/review/shared/access.ts";

const access: AccessMarker = {
  local: { "refs/*": { permissions: { push: { unclear: { rules: "odd" } }, submit: {} } } },
  groups: {
    u1: { name: "Managers" },
    u2: { name: "42" },
    u3: { name: "Twins" },
    u4: { name: "Twins" },
    u5: { name: "u1" },
  },
  asked: { "42": "u6" },
};

test.each([
  ["^main|rel$", "^refs/heads/(main|rel)$"],
  ["^(a)|b$", "^refs/heads/((a)|b)$"],
  ["^\\(a|b\\)$", "^refs/heads/(\\(a|b\\))$"],
  ["^[(]a|b$", "^refs/heads/([(]a|b)$"],
  ["^(main|rel)$", "^refs/heads/(main|rel)$"],
  ["^((a|b)c|d)-.*$", "^refs/heads/((a|b)c|d)-.*$"],
  ["^v[0|1]$", "^refs/heads/v[0|1]$"],
  ["^v\\|1$", "^refs/heads/v\\|1$"],
])("a lock of %s is of all its alternatives on branches: %s", (branch, pattern) => {
  const patterns = branchPatterns("refs/heads/", branch);
  expect(patterns[0]).toBe(pattern);
  expect(patterns.filter((one) => one.includes("heads/main|"))).toEqual([]);
});

test("a number is the group with this number, not one that has it for a name", () => {
  expect([groupKey(access, "42"), groupKey(access, "Managers"), groupKey(access, "u3")]).toEqual(["u6", "u1", "u3"]);
});

test("a group is called by its name unless that stands for another one", () => {
  expect(["u1", "u2", "u3", "u4", "u5"].map((uuid) => groupName(access, uuid))).toEqual([
    "Managers",
    "u2",
    "u3",
    "u4",
    "u5",
  ]);
});

test("a permission of which a part is not understood is not read at all", () => {
  expect(() => livePermission(access, "refs/*", "push")).toThrow();
  expect(livePermission(access, "refs/*", "submit")).toEqual({});
});

test("a range of votes that ends or begins at 0 is one, and no range is from 0 to 0", () => {
  expect(plainRule({ min: -2, max: 0 })).toMatchObject({ min: -2, max: 0 });
  expect(plainRule({ max: 1 })).toMatchObject({ min: 0, max: 1 });
  expect(plainRule({ action: "ALLOW", force: false, min: 0, max: 0 })).toEqual(plainRule({}));
});
