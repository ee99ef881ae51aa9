import { expect, test } from "vitest";
import type { AccessSections, PermissionInfo } from "../../../../src/clients/review/access.ts";
import {
  type AccessAttempt,
  grantOf,
  mayLift,
  type ProjectRules,
} from "../../../../src/reconcilers/review/shared/effect.ts";

const main = "refs/heads/main";
const allow = { action: "ALLOW" } as const;
const block = { action: "BLOCK" } as const;
const deny = { action: "DENY" } as const;

type Pushes = Readonly<Record<string, PermissionInfo>>;

function rulesOf(project: string, pushes: Pushes): ProjectRules {
  const sections = Object.entries(pushes).map(([ref, push]) => [ref, { permissions: { push } }] as const);
  const local: AccessSections = Object.fromEntries(sections);
  return { project, local };
}

/** What lets a member of `devs` and `managers` push to main: who pushes by which rules of the project and of its parent. */
function push(own: Pushes, inherited: Pushes = {}, attempt: Partial<AccessAttempt> = {}, isWhole = true) {
  const chain = [rulesOf("own", own), rulesOf("parent", inherited)];
  const groups = new Set(["devs", "managers"]);
  return grantOf({ chain, isWhole }, { ref: main, permission: "push", force: false, groups, ...attempt });
}

const everywhere: Pushes = { "refs/*": { rules: { devs: allow } } };

// The promises of docs/facts.md, Review: Evaluating access rules; `test/real/effect.test.ts` compares them with a real server.

test("nobody may do what no rule allows, and a rule for another branch allows nothing", () => {
  expect(push({})).toBeUndefined();
  expect(
    push({ "refs/heads/x": { rules: { devs: allow } }, "^refs/heads/x.*": { rules: { devs: allow } } }),
  ).toBeUndefined();
  expect(push({}, everywhere)).toMatchObject({ project: "parent", pattern: "refs/*", exclusive: false, isSure: true });
});

test("a rule of another permission allows nothing", () => {
  expect(push(everywhere, {}, { permission: "submit" })).toBeUndefined();
});

test("an ALLOW lifts a block of its own permission, for any of its groups, and no block elsewhere", () => {
  const both: PermissionInfo = { rules: { devs: block, managers: allow } };
  expect(push({ [main]: both }, everywhere)).toMatchObject({ project: "own", pattern: main });
  expect(push({ [main]: { rules: { devs: block } }, "refs/heads/*": { rules: { managers: allow } } })).toBeUndefined();
  expect(push({ [main]: both, "refs/heads/*": { rules: { devs: block } } })).toBeUndefined();
});

test("an exclusive ALLOW lifts less specific blocks of its project, and no more specific one", () => {
  const exclusive: PermissionInfo = { exclusive: true, rules: { managers: allow } };
  const blocked: PermissionInfo = { rules: { devs: block } };
  expect(push({ [main]: exclusive, "refs/heads/*": blocked })).toMatchObject({ pattern: main, exclusive: true });
  expect(push({ [main]: blocked, "refs/heads/*": exclusive })).toBeUndefined();
});

test("rules of one project lift no block of another", () => {
  const exclusive: PermissionInfo = { exclusive: true, rules: { managers: allow } };
  const blocked: PermissionInfo = { rules: { devs: block } };
  expect(push({ [main]: exclusive }, { "refs/heads/*": blocked })).toBeUndefined();
  expect(push({ "refs/heads/*": blocked }, { [main]: exclusive })).toBeUndefined();
});

test("the rule that lifts the project's own block is named, not one that a parent has or that allows the rest", () => {
  const lifting: PermissionInfo = { rules: { devs: block, managers: allow } };
  const found = push({ "refs/heads/*": lifting }, { [main]: { rules: { devs: allow } }, "refs/*": lifting });
  expect(found).toMatchObject({ project: "own", pattern: "refs/heads/*" });
});

test("an exclusive permission ends the search for a rule that allows", () => {
  expect(push({ [main]: { exclusive: true, rules: { others: allow } } }, everywhere)).toBeUndefined();
  expect(push({ [main]: { rules: { others: allow } } }, everywhere)).toMatchObject({ project: "parent" });
});

test("a DENY takes away what a parent allows the same group on the same pattern, and nothing else", () => {
  const denied: Pushes = { "refs/*": { rules: { devs: deny } } };
  expect(push(denied, everywhere)).toBeUndefined();
  expect(push(denied, { "refs/*": { rules: { managers: allow } } })).toMatchObject({ project: "parent" });
  expect(push({ "refs/heads/*": { rules: { devs: deny } } }, everywhere)).toMatchObject({ project: "parent" });
});

test("a BLOCK of forced pushes blocks no others, and a forced push needs an ALLOW with force", () => {
  const rules = (force: boolean, blockForce: boolean): Pushes => ({
    "refs/heads/*": { rules: { managers: { action: "BLOCK", force: blockForce } } },
    "refs/*": { rules: { devs: { action: "ALLOW", force } } },
  });
  expect(push(rules(true, true))).toMatchObject({ pattern: "refs/*" });
  expect(push(rules(true, true), {}, { force: true })).toBeUndefined();
  expect(push(rules(true, false))).toBeUndefined();
  expect(push(everywhere, {}, { force: true })).toBeUndefined();
  expect(push({ "refs/*": { rules: { devs: { action: "ALLOW", force: true } } } }, {}, { force: true })).toBeDefined();
  expect(
    push({ [main]: { rules: { devs: block } } }, { "refs/*": { rules: { devs: { force: true } } } }, { force: true }),
  ).toBeUndefined();
});

test("rules of other groups count for nothing, and a rule without an action allows", () => {
  expect(push({ [main]: { rules: { others: block } }, "refs/*": { rules: { devs: {} } } })).toMatchObject({
    pattern: "refs/*",
  });
  expect(push({ "refs/*": { rules: { others: allow } } })).toBeUndefined();
});

test("of two equally specific patterns the last by name blocks first, and the first by name allows first", () => {
  const [first, last] = ["^refs/heads/(main|othe)", "^refs/heads/(othe|main)"];
  const exclusive: PermissionInfo = { exclusive: true, rules: { managers: allow } };
  const blocked: PermissionInfo = { rules: { devs: block } };
  const closed: PermissionInfo = { exclusive: true, rules: { others: allow } };
  const inOrder = (...pair: readonly (readonly [string, PermissionInfo])[]) =>
    [pair, pair.toReversed()].map((entries) => push(Object.fromEntries(entries))?.pattern);
  expect(inOrder([first, blocked], [last, exclusive])).toEqual([last, last]);
  expect(inOrder([first, exclusive], [last, blocked])).toEqual([undefined, undefined]);
  expect(inOrder([first, closed], [last, exclusive])).toEqual([undefined, undefined]);
  expect(inOrder([first, exclusive], [last, closed])).toEqual([first, first]);
});

test("a parent that was not read may allow anything that the project does not block", () => {
  const unread = (own: Pushes) => push(own, {}, {}, false);
  expect(unread({})).toMatchObject({ isSure: false });
  expect(unread({ [main]: { rules: { devs: block } } })).toBeUndefined();
  expect(unread({ [main]: { rules: { devs: block, managers: allow } } })).toMatchObject({
    project: "own",
    isSure: true,
  });
});

test.each(["^refs/heads/ma(?=in).*", "^refs/heads/main(|x|)"])(
  "whether %s allows or blocks is not sure: what is sure decides if it can",
  (unsure) => {
    const blocked: Pushes = { "refs/heads/*": { rules: { devs: block } } };
    const allowed: Pushes = { [unsure]: { exclusive: true, rules: { managers: allow } } };
    const maybe = { pattern: unsure, isSure: false };
    expect(push(allowed)).toMatchObject(maybe);
    expect(push({ ...allowed, ...blocked })).toMatchObject(maybe);
    expect(push({ ...allowed, ...blocked }, blocked)).toBeUndefined();
    expect(push({ [unsure]: { rules: { devs: block, managers: allow } } })).toMatchObject(maybe);
    const blocking: Pushes = { [unsure]: { rules: { devs: block } } };
    expect(push(blocking, everywhere)).toMatchObject({ pattern: "refs/*", isSure: true });
    expect(push({ ...blocking, ...blocked }, everywhere)).toBeUndefined();
    expect(push(blocking)).toBeUndefined();
  },
);

test.each<[words: string, other: PermissionInfo]>([
  ["blocks", { rules: { devs: block } }],
  ["is exclusive and allows nothing", { exclusive: true, rules: { others: allow } }],
])("one pattern that may match allows something, although another one that may match %s", (_words, other) => {
  const [first, second] = ["^refs/heads/(?=m)ain", "^refs/heads/main(|x|)"];
  for (const [one, two] of [
    [first, second],
    [second, first],
  ] as const)
    expect(push({ [one]: { exclusive: true, rules: { managers: allow } }, [two]: other })).toMatchObject({
      isSure: false,
    });
});

test("a permission may lift a block if it allows someone something, and is exclusive or blocks someone itself", () => {
  expect(mayLift({ rules: { devs: block, managers: allow } })).toBe(true);
  expect(mayLift({ exclusive: true, rules: { managers: {} } })).toBe(true);
  expect(mayLift({ rules: { devs: deny, managers: allow } })).toBe(false);
  expect(mayLift({ exclusive: true, rules: { devs: block } })).toBe(false);
  expect(mayLift({ exclusive: true })).toBe(false);
  expect(mayLift(undefined)).toBe(false);
});
