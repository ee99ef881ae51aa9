import { z } from "zod";
import type { ReviewOperations } from "../../clients/review/operations.ts";
import type { Observation, Writable } from "../../core/change.ts";
import type { Kind, LeaveOut } from "../../core/kind.ts";
import { describeIssues } from "../../core/text/issues.ts";
import { own } from "../../core/text/json.ts";
import { inOrder } from "../../core/text/words.ts";
import { refuse } from "../shared/left-out.ts";
import {
  type AccessMarker,
  accessScope,
  exclusiveClaim,
  groupKey,
  groupNames,
  isRuleKept,
  livePermission,
  modifyAccess,
  type PermissionWish,
  Project,
  plainRule,
  readAccess,
  refMistake,
  ruleClaim,
  strangePermission,
} from "./shared/access.ts";
import { listAccess } from "./shared/all-access.ts";
import { configHistory, historyBudget } from "./shared/config-history.ts";
import { permissionRisks } from "./shared/granted.ts";
import { distinctGroups, ghostMistake, groupMistake, withGroups } from "./shared/groups.ts";
import { type LiveRules, liveRules } from "./shared/live-rules.ts";
import { canBeExclusive, canHaveRange, PermissionName, spellingMistake } from "./shared/permission-names.ts";

const Rule = z
  .strictObject({
    group: z.string().min(1).describe("Name or UUID of the group."),
    action: z.enum(["ALLOW", "DENY", "BLOCK", "INTERACTIVE", "BATCH"]).default("ALLOW").describe("Effect of the rule."),
    force: z.boolean().default(false).describe("Whether the rule applies to forced operations too."),
    min: z.int().optional().describe("Lowest vote of a label, or the lower end of a limit."),
    max: z.int().optional().describe("Highest vote of a label, or the limit."),
  })
  .refine(({ min = 0, max = 0 }) => min <= max, "expected min to be at most max; one that is left out is 0");

const AccessRule = z
  .strictObject({
    project: Project,
    ref: z
      .string()
      .regex(/^(\^?refs\/|GLOBAL_CAPABILITIES$)/, "expected a ref pattern such as refs/heads/* or ^refs/heads/v[0-9]+$")
      .superRefine((ref, { addIssue }) => {
        const mistake = /^\^?refs\//.test(ref) && refMistake(ref);
        if (mistake) addIssue(mistake);
      })
      .describe("Ref pattern of the section."),
    permission: PermissionName.describe("Name of the permission, such as `push` or `label-Code-Review`."),
    exclusive: z.boolean().optional().describe("Whether the rules of wider patterns no longer apply."),
    rules: z
      .array(Rule)
      .min(1)
      .refine((rules) => new Set(rules.map(({ group }) => group)).size === rules.length, "expected one rule per group")
      .describe("One rule per group. Rules of groups that are not listed are kept."),
  })
  .refine(canBeExclusive, { path: ["exclusive"], error: "expected false: owner and capabilities cannot be exclusive" })
  .refine(canHaveRange, { path: ["rules"], error: "expected no min and max: only votes and limits have a range" });
type AccessRule = z.infer<typeof AccessRule>;

/** Rules of one permission in one section. Those of groups that no manifest names belong to someone else. */
export const accessRule: Kind<AccessRule, ReviewOperations, AccessMarker> = {
  kind: "AccessRule",
  role: "review",
  summary: "Who has a permission on a ref pattern.",
  spec: AccessRule,
  budget: {
    reads: `shared with BranchLock: 1 getProjectAccess per project; several projects share 1 listAccess; 1 getGroup per group that no rule of the project has yet, and 1 listGroups if one is missing; ${historyBudget}`,
    writes: "shared with BranchLock: 1 modifyProjectAccess per project",
  },
  notes: `Rules of groups that no manifest names are always kept. A group removed from \`rules\` loses its rule only if
\`--base\` shows that the manifest had it. Deleting rules clears the flag \`exclusive\` if the manifest had set it; otherwise it
stays, even without rules. A \`revert\` of new rules needs a person if the flag was there before them and they state it. The service
keeps the heading of a section that had an exclusive permission. It shows one rule per group: further ones, from a push to its
configuration, are removed with it, or by a new flag.

A group is identified by its name, its UUID or its number, and is looked up before anything is written: one that is missing
needs a person. A UUID stays the same when a group is renamed.

A permission with a rule that setpoint does not understand is unknown as a whole, because a write could drop a part of it;
so is a lock on it. A list of live rules leaves out those that a \`BranchLock\` manages, and hidden projects, which the service
does not list. It also leaves out, and names with the reason, projects whose rules the account may not read, permissions that
setpoint does not understand, and rules that no manifest can declare, such as those of a ref pattern that an older server
accepted and this one refuses.`,
  key: (spec) => `${spec.project}:${spec.ref}:${spec.permission}`,
  scope: (spec) => accessScope(spec.project),
  claims: ({ project, ref, permission, exclusive, rules }, access) => [
    ...rules.flatMap(({ group }) => groupNames(access, group).map((name) => ruleClaim(project, ref, permission, name))),
    ...(exclusive === undefined ? [] : [exclusiveClaim(project, ref, permission)]),
  ],
  normalize: (spec) => ({
    ...spec,
    rules: [...spec.rules]
      .sort((a, b) => inOrder(a.group, b.group))
      .map(({ group, ...rule }) => ({ group, ...plainRule(rule) })),
  }),

  async observe(read, _scope, wanted) {
    const groups = wanted.flatMap((spec) => spec.rules.map(({ group }) => group));
    const access = await withGroups(read, await readAccess(read, wanted[0]?.project ?? ""), groups);
    const rules = Map.groupBy(wanted, accessRule.key);
    return new Map([...rules].map(([key, declared]) => [key, observeRules(access, declared)]));
  },

  list: (read, _now, leaveOut = refuse) =>
    listAccess(
      read,
      (project, access) => liveRules(project, access, leaveOut).flatMap((live) => declarable(live, leaveOut)),
      leaveOut,
    ),

  history: configHistory,
  needsPerson(change) {
    const { marker } = change;
    const ghost = ghostMistake(marker, wishesOf(change));
    if (change.action === "delete") return marker.byHand ?? ghost;
    const groups = change.desired.rules.map(({ group }) => group);
    return marker.byHand ?? spellingMistake(marker.local, change.desired) ?? groupMistake(marker, groups) ?? ghost;
  },
  compile: (changes) => modifyAccess(changes, describe, wishesOf),
  replacesMore: (change) =>
    change.action === "create" && change.desired.exclusive !== undefined && flagBefore(change) === true,

  risk(change) {
    const before = { exclusive: flagBefore(change), rules: change.action === "create" ? [] : change.live.rules };
    const { exclusive = before.exclusive, rules } =
      change.action === "delete" ? { exclusive: takenBack(change, change.kept), rules: [] } : change.desired;
    return permissionRisks(before, { exclusive, rules });
  },
};

/** Observes the rules of groups that are declared now (first) or were declared at the base, under the manifests' names. */
function observeRules(access: AccessMarker, declared: readonly AccessRule[]): Observation<AccessRule, AccessMarker> {
  const [wanted] = declared;
  const problem = wanted === undefined ? undefined : strangePermission(access, wanted.ref, wanted.permission);
  if (problem !== undefined) return { is: "unknown", problem };
  const live = wanted === undefined ? undefined : livePermission(access, wanted.ref, wanted.permission);
  const groups = declared.flatMap((spec) => spec.rules.map(({ group }) => group));
  const rules = distinctGroups(access, groups).flatMap((group) => {
    const rule = own(live?.rules, groupKey(access, group));
    return rule === undefined ? [] : [{ group, ...plainRule(rule) }];
  });
  if (wanted === undefined || rules.length === 0) return { is: "absent", marker: access };
  return { is: "present", marker: access, spec: { ...wanted, exclusive: live?.exclusive ?? false, rules } };
}

/** Returns live rules as a manifest declares them; if none can, `leaveOut` is told. */
function declarable(live: LiveRules, leaveOut: LeaveOut): readonly AccessRule[] {
  const { data, error } = AccessRule.safeParse(live);
  if (data !== undefined) return [data];
  const message = `No manifest can declare these rules: ${describeIssues(error.issues, live, "The rule")}.`;
  const hint =
    "Nothing changes them. To manage them, declare rules that the service accepts, and remove these manually.";
  leaveOut(accessRule.key({ ...live, rules: [] }), { code: "SP1020", message, hint });
  return [];
}

function wishesOf(change: Writable<AccessRule, AccessMarker>): readonly PermissionWish[] {
  const desired = change.action === "delete" ? undefined : change.desired;
  const former = change.action === "create" ? [] : change.live.rules;
  const kept = change.action === "create" ? [] : change.kept;
  const { project, ref, permission } = change.action === "delete" ? change.live : change.desired;
  const dropped = former.filter(({ group }) => !isRuleKept(change.marker, kept, [project, ref, permission, group]));
  return [
    {
      ref,
      permission,
      exclusive: desired === undefined ? takenBack(change, kept) : desired.exclusive,
      rules: Object.fromEntries(
        (desired?.rules ?? []).map(({ group, ...rule }) => [groupKey(change.marker, group), plainRule(rule)]),
      ),
      drop: dropped.map(({ group }) => groupKey(change.marker, group)),
    },
  ];
}

/** Returns the flag before a change: also of rules that are absent, of which no specification can state it. */
function flagBefore(change: Writable<AccessRule, AccessMarker>): boolean | undefined {
  if (change.action !== "create") return change.live.exclusive;
  return livePermission(change.marker, change.desired.ref, change.desired.permission)?.exclusive;
}

/** Returns the flag after a delete: false if the manifest had set it and no other one decides it; otherwise unchanged. */
function takenBack(change: Writable<AccessRule, AccessMarker>, kept: readonly string[]): false | undefined {
  if (change.action !== "delete" || change.declared.exclusive !== true) return undefined;
  const { project, ref, permission } = change.declared;
  return kept.includes(exclusiveClaim(project, ref, permission)) ? undefined : false;
}

function describe(change: Writable<AccessRule, AccessMarker>): string {
  const verb = { create: "Add", update: "Change", delete: "Remove" }[change.action];
  const { ref, permission } = change.action === "delete" ? change.live : change.desired;
  return `${verb} rules for ${permission} on ${ref}`;
}
