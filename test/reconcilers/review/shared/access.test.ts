import { expect, test } from "vitest";
import {
  type AccessMarker,
  branchPatterns,
  editsOf,
  groupKey,
  groupName,
  isRuleKept,
  livePermission,
  type PermissionWish,
  plainRule,
  ruleClaim,
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

const may = { action: "ALLOW", force: false } as const;
const vote = { action: "ALLOW", force: false, min: -1, max: 1 } as const;
const mayNot = { action: "BLOCK", force: false } as const;

/** The edit of a permission with an exclusive flag and rules of two groups, of votes, or of one that the project does not have. */
function edited(wish: Partial<PermissionWish>, permission: string): unknown {
  const push = { exclusive: true, rules: { u1: { action: "ALLOW" as const }, u2: mayNot } };
  const votes = { label: "Verified", rules: { u1: vote } };
  const permissions = { push, "label-Verified": votes };
  const marker: AccessMarker = { ...access, local: { "refs/*": { permissions } } };
  return editsOf(marker, [{ ref: "refs/*", permission, rules: {}, drop: [], ...wish }])[0]?.edit;
}

test.each<[string, Partial<PermissionWish>, unknown, string?]>([
  ["nothing if all is as desired", { rules: { u1: may }, drop: ["u3"] }, undefined],
  ["only the new rule", { rules: { u1: may, u3: may } }, { add: { exclusive: true, rules: { u3: may } } }],
  [
    "only the changed rule, which goes first",
    { rules: { u1: mayNot, u2: mayNot } },
    { remove: { rules: { u1: {} } }, add: { exclusive: true, rules: { u1: mayNot } } },
  ],
  ["only the rule to drop", { rules: { u1: may }, drop: ["u1", "u2"] }, { remove: { rules: { u2: {} } } }],
  [
    "the flag without rules if it is someone else's",
    { drop: ["u1", "u2"] },
    { remove: { rules: { u1: {}, u2: {} } }, add: { exclusive: true, rules: {} } },
  ],
  ["no flag if it is ours", { drop: ["u1", "u2"], exclusive: false }, { remove: { rules: { u1: {}, u2: {} } } }],
  [
    "the whole permission with the rules of others if its flag changes",
    { rules: { u3: may }, drop: ["u2"], exclusive: false },
    { remove: { rules: {} }, add: { exclusive: false, rules: { u1: { action: "ALLOW" }, u3: may } } },
  ],
  [
    "the label of votes with them",
    { exclusive: true },
    { remove: { rules: {} }, add: { label: "Verified", exclusive: true, rules: { u1: vote } } },
    "label-Verified",
  ],
  ["nothing for a flag that is not set", { exclusive: false }, undefined, "label-Verified"],
  ["nothing for a flag that nobody manages", { rules: { u1: vote } }, undefined, "label-Verified"],
  ["the whole of a new permission", { rules: { u3: may } }, { add: { rules: { u3: may } } }, "read"],
  ["nothing of a permission that is not there", { drop: ["u3"] }, undefined, "read"],
])("an edit of a permission writes %s", (_what, wish, expected, permission = "push") => {
  expect(edited(wish, permission)).toEqual(expected);
});

test("a rule is kept if another resource claims it by any name of its group", () => {
  const rule = (group: string): Parameters<typeof ruleClaim> => ["core", "refs/*", "push", group];
  for (const claimed of ["Managers", "u1"])
    expect(isRuleKept(access, [ruleClaim(...rule(claimed))], rule("Managers"))).toBe(true);
  expect(isRuleKept(access, [ruleClaim(...rule("Twins"))], rule("Managers"))).toBe(false);
});
