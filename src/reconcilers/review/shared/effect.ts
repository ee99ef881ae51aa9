import type { AccessRuleInfo, AccessSections, PermissionInfo } from "../../../clients/review/access.ts";
import { patternShape } from "./automaton.ts";
import { permissionIn } from "./permission-names.ts";
import { compareSpecificity, matches } from "./ref-pattern.ts";

/** A project's own access rules. */
export interface ProjectRules {
  readonly project: string;
  readonly local: AccessSections;
}

/** What decides on access to a project. */
export interface Ground {
  /** The project, its parent, and so on to the root. */
  readonly chain: readonly ProjectRules[];
  /** Whether `chain` ends at the root; if not, a parent that was not read might allow everything. */
  readonly isWhole: boolean;
}

/** An operation that a member of groups attempts on a ref. */
export interface AccessAttempt {
  readonly ref: string;
  readonly permission: string;
  /** Whether it is a forced push. */
  readonly force: boolean;
  /** UUIDs. */
  readonly groups: ReadonlySet<string>;
}

/** The rule that permits something: the one that lifts a block, if there is one. */
export interface Grant {
  readonly project: string;
  readonly pattern: string;
  readonly exclusive: boolean;
  /** Whether the server reads the pattern as setpoint does; if not, it might match or not. */
  readonly isSure: boolean;
}

interface Section extends Grant {
  readonly rules: readonly (readonly [group: string, rule: AccessRuleInfo])[];
}

/**
 * Returns what permits the attempt, or undefined if nothing does. Ownership permits nothing here: an owner can change the
 * rules, but may do nothing else that they do not allow.
 *
 * Gerrit: `RefControl.canPerform`, with `PermissionCollection` and `ProjectControl.match`; the same from 3.10 to 3.13.
 * @see docs/facts.md, Review: Evaluating access rules
 */
export function grantOf(ground: Ground, attempt: AccessAttempt): Grant | undefined {
  const sections = sectionsOf(ground, attempt);
  const sure = sections.filter(({ isSure }) => isSure);
  const grant = permit(ground, attempt, sure);
  if (grant !== undefined || sure.length === sections.length) return grant;
  const hopeful = sections.map((section) => {
    if (section.isSure) return section;
    const exclusive = section.exclusive && section.rules.some((rule) => isAllow(rule, attempt));
    return { ...section, exclusive, rules: section.rules.filter(([, { action }]) => action !== "BLOCK") };
  });
  return permit(ground, attempt, hopeful) && hopeful.find(({ isSure }) => !isSure);
}

/** Returns the matching sections that have the permission: the project's own first, each project's sorted by name. */
function sectionsOf({ chain }: Ground, { ref, permission }: AccessAttempt): readonly Section[] {
  return chain.flatMap(({ project, local }) =>
    Object.keys(local)
      .sort()
      .flatMap((pattern) => {
        const live = permissionIn(local, pattern, permission);
        if (live === undefined) return [];
        const match = matches(pattern, ref);
        if (match === false) return [];
        const isSure = match === true && (!pattern.startsWith("^") || patternShape(pattern) !== undefined);
        return [
          { project, pattern, exclusive: live.exclusive ?? false, isSure, rules: Object.entries(live.rules ?? {}) },
        ];
      }),
  );
}

/** A grant in a parent that was not read. */
const somewhere: Grant = { project: "a parent", pattern: "refs/*", exclusive: false, isSure: false };

function permit(ground: Ground, attempt: AccessAttempt, sections: readonly Section[]): Grant | undefined {
  const order = compareSpecificity(attempt.ref);
  const bySpecificity = (a: Section, b: Section) => order(a.pattern, b.pattern);
  let lifted: Grant | undefined;
  for (const own of Map.groupBy(sections, ({ project }) => project).values()) {
    // Among equally specific sections, the last one comes first here, unlike below.
    const found = liftOf(own.toReversed().toSorted(bySpecificity), attempt);
    if (found === "blocked") return undefined;
    lifted ??= found;
  }
  if (!ground.isWhole) return lifted ?? somewhere;
  const granted = allowOf(sections.toSorted(bySpecificity), attempt);
  return granted && (lifted ?? granted);
}

/**
 * Returns whether a project's sections block the attempt, or which of them lifts the blocks. An ALLOW lifts a block of the
 * same permission and, if it is exclusive, those of less specific sections.
 *
 * Gerrit: `RefControl.isBlocked`, `PermissionCollection.calculateBlockRules`.
 */
function liftOf(sections: readonly Section[], attempt: AccessAttempt): Grant | "blocked" | undefined {
  let lifted: Grant | undefined;
  for (const section of sections) {
    const allows = section.rules.some((rule) => isAllow(rule, attempt));
    if (section.exclusive && allows) return section;
    if (!section.rules.some((rule) => isBlock(rule, attempt))) continue;
    if (!allows) return "blocked";
    lifted ??= section;
  }
  return lifted;
}

/**
 * Returns the first section that allows the attempt; an exclusive one ends the search. Among sections of one pattern in
 * several projects, only the first rule of a group counts, so a DENY revokes what a parent allows.
 *
 * Gerrit: `PermissionCollection.calculateAllowRules`.
 */
function allowOf(sections: readonly Section[], attempt: AccessAttempt): Grant | undefined {
  const seen = new Set<string>();
  for (const section of sections) {
    for (const rule of section.rules) {
      const key = `${section.pattern}\n${rule[0]}`;
      if (!seen.has(key) && isAllow(rule, attempt)) return section;
      seen.add(key);
    }
    if (section.exclusive) return undefined;
  }
  return undefined;
}

function isAllow(
  [group, { action = "ALLOW", force = false }]: Section["rules"][number],
  attempt: AccessAttempt,
): boolean {
  return action === "ALLOW" && (force || !attempt.force) && attempt.groups.has(group);
}

/** Whether a rule blocks the attempt. A block of forced pushes does not block other pushes. */
function isBlock([group, { action, force = false }]: Section["rules"][number], attempt: AccessAttempt): boolean {
  return action === "BLOCK" && (!force || attempt.force) && attempt.groups.has(group);
}

/** Whether a permission can allow something despite a block in another section or its own. */
export function mayLift(permission: PermissionInfo | undefined): boolean {
  const isBlocking = Object.values(permission?.rules ?? {}).some(({ action }) => action === "BLOCK");
  return (permission?.exclusive === true || isBlocking) && allowedBy(permission).length > 0;
}

/** Returns the UUIDs of the groups that a permission allows something. */
export function allowedBy(permission: PermissionInfo | undefined): readonly string[] {
  const rules = Object.entries(permission?.rules ?? {});
  return rules.flatMap(([group, { action = "ALLOW" }]) => (action === "ALLOW" ? [group] : []));
}
