import { withoutRepeats } from "../../core/text/json.ts";
import { inOrder } from "../../core/text/words.ts";
import type { InputSection } from "./access-input.ts";
import { hasFlag, hasRange } from "./access-names.ts";
import { type ReviewAccess, type ReviewGroup, type ReviewPermission, type ReviewRule, RuleAction } from "./state.ts";

type Permissions = Readonly<Record<string, ReviewPermission>>;

/**
 * Returns a project's access rules after a request: first removals, then additions, then the effects of storing.
 *
 * @see docs/facts.md, review; every case is measured on a real server
 */
export function changeAccess(
  access: Readonly<ReviewAccess>,
  remove: readonly InputSection[],
  add: readonly InputSection[],
  groups: readonly ReviewGroup[],
): ReviewAccess {
  return store(add.reduce(addSection, remove.reduce(removeSection, access)), access, groups);
}

/** Removes rules. A section without permissions removes the whole section, a permission without rules the permission. */
function removeSection(access: Readonly<ReviewAccess>, section: InputSection): ReviewAccess {
  const present = access[section.ref];
  if (present === undefined) return access;
  let permissions: Permissions = section.permissions.length === 0 ? {} : present;
  for (const removed of section.permissions) {
    const name = nameIn(permissions, removed.name) ?? removed.name;
    const permission = permissions[name];
    const byRule = removed.rules.length > 0;
    if (byRule && permission === undefined) continue;
    const rules = permission?.rules.filter((rule) => !removed.rules.some(({ group }) => group === rule.group)) ?? [];
    permissions =
      byRule && permission !== undefined && rules.length > 0
        ? { ...permissions, [name]: { ...permission, rules } }
        : without(permissions, name);
  }
  // A section that had an exclusive permission keeps its heading, however it becomes empty.
  const keepsHeading = permissions === present || Object.values(present).some(({ exclusive }) => exclusive);
  if (Object.keys(permissions).length === 0 && !keepsHeading) return without(access, section.ref);
  return { ...access, [section.ref]: permissions };
}

/** Adds rules. An existing permission keeps its `exclusive`; new rules are appended to it. */
function addSection(access: Readonly<ReviewAccess>, section: InputSection): ReviewAccess {
  let permissions: Permissions = access[section.ref] ?? {};
  for (const { name: wanted, exclusive, rules } of section.permissions) {
    const name = nameIn(permissions, wanted) ?? wanted;
    const present = permissions[name];
    permissions = {
      ...permissions,
      [name]: present === undefined ? { exclusive, rules } : { ...present, rules: [...present.rules, ...rules] },
    };
  }
  return { ...access, [section.ref]: permissions };
}

/** Sorts the rules, removes duplicates, and drops permissions without rules unless they are exclusive. */
function store(
  access: Readonly<ReviewAccess>,
  before: Readonly<ReviewAccess>,
  groups: readonly ReviewGroup[],
): ReviewAccess {
  const names = new Map(groups.map((group) => [group.uuid, group.name]));
  return Object.fromEntries(
    Object.entries(access).flatMap(([ref, permissions]) => {
      const stored = Object.entries(permissions)
        .filter(([name, { exclusive, rules }]) => rules.length > 0 || (exclusive && hasFlag(ref, name)))
        .map(([name, { exclusive, rules }]) => [
          name,
          {
            exclusive: exclusive && hasFlag(ref, name),
            rules: withoutRepeats(rules)
              .toSorted((a, b) => compareRules(a, b, names))
              .map((rule) => (hasRange(ref, name) ? rule : withoutRange(rule))),
          },
        ]);
      const vanishes = stored.length === 0 && !Object.hasOwn(before, ref);
      return vanishes ? [] : [[ref, Object.fromEntries(stored)]];
    }),
  );
}

function compareRules(a: ReviewRule, b: ReviewRule, names: ReadonlyMap<string, string>): number {
  const actions = RuleAction.options;
  return (
    actions.indexOf(a.action) - actions.indexOf(b.action) ||
    rangeOf(b) - rangeOf(a) ||
    inOrder(names.get(a.group) ?? "", names.get(b.group) ?? "")
  );
}

function rangeOf(rule: ReviewRule): number {
  return Math.abs(rule.min ?? 0) + Math.abs(rule.max ?? 0);
}

function withoutRange({ group, action, force }: ReviewRule): ReviewRule {
  return { group, action, force };
}

/** Returns the name of a permission as its section spells it; case does not matter. */
function nameIn(permissions: Permissions, name: string): string | undefined {
  return Object.keys(permissions).find((present) => present.toLowerCase() === name.toLowerCase());
}

function without<Value>(map: Readonly<Record<string, Value>>, name: string): Record<string, Value> {
  return Object.fromEntries(Object.entries(map).filter(([present]) => present !== name));
}
