import { z } from "zod";
import { own } from "../../core/text/json.ts";
import { withUnclear } from "../unclear.ts";

/** Who a rule is for, and what it does. The server can leave out booleans that are false. */
export const AccessRuleInfo = z.object({
  action: z.enum(["ALLOW", "DENY", "BLOCK", "INTERACTIVE", "BATCH"]).optional(),
  force: z.boolean().optional(),
  min: z.int().optional(),
  max: z.int().optional(),
});
export type AccessRuleInfo = z.infer<typeof AccessRuleInfo>;

/** One permission of a section: its rules by group (UUID when read; UUID, number or unique name when written). */
export const PermissionInfo = z.object({
  label: z.string().optional(),
  exclusive: z.boolean().optional(),
  rules: z.record(z.string(), AccessRuleInfo).optional(),
});
export type PermissionInfo = z.infer<typeof PermissionInfo>;

/** Sections by ref pattern. */
export const AccessSections = z.record(
  z.string(),
  z.object({ permissions: z.record(z.string(), PermissionInfo).optional() }),
);
export type AccessSections = z.infer<typeof AccessSections>;

/**
 * Sections as they are read. A rule that is not understood makes all rules of its permission unclear, since its effect is
 * unknown.
 */
const LiveSections = z.record(
  z.string(),
  withUnclear(
    z.strictObject({
      permissions: z
        .record(
          z.string(),
          withUnclear(
            z.strictObject({
              ...PermissionInfo.shape,
              rules: z
                .record(
                  z.string(),
                  z.strictObject({ ...AccessRuleInfo.shape, action: AccessRuleInfo.shape.action.unwrap() }),
                )
                .optional(),
            }),
          ),
        )
        .optional(),
    }),
  ),
);

/**
 * A project's own access rules; inherited ones are not in `local`.
 * @see docs/facts.md, review: without the right to read the configuration, sections or permissions are missing
 */
export const ProjectAccess = z.object({
  revision: z.string().optional(),
  inherits_from: z.object({ name: z.string() }).optional(),
  local: LiveSections.default({}),
  is_owner: z.boolean().default(false),
  config_visible: z.boolean().default(false),
  require_change_for_config_update: z.boolean().optional(),
  groups: z.record(z.string(), z.object({ name: z.string().optional() })).default({}),
});
export type ProjectAccess = z.infer<typeof ProjectAccess>;

interface ModifyAccess {
  readonly projectName: string;
  readonly remove?: AccessSections | undefined;
  readonly add?: AccessSections | undefined;
  readonly message?: string | undefined;
}

/**
 * Joins two modifications of one project's access into one request. Both were computed from the same live rules, and no
 * two resources decide the same rule or the same `exclusive` flag (see `Kind.claims`). A section that one side removes is
 * removed; what the other side adds to it comes back with the additions. If one side replaces a permission as a whole
 * (`remove` with empty rules, then all rules in `add`), the rules that the other side removes by name are not added back.
 *
 * @see docs/facts.md, review: removals first, then additions; a rule is removed by its group alone
 */
export function joinAccess(earlier: ModifyAccess, later: ModifyAccess): ModifyAccess {
  const remove: Sections = {};
  const add: Sections = {};
  for (const { ref, name } of permissionsOf(earlier, later)) {
    const partOf = (side: ModifyAccess): PermissionPart => ({
      removed: own(side.remove?.[ref]?.permissions, name)?.rules,
      added: own(side.add?.[ref]?.permissions, name),
    });
    const { removed, added } = joinPermission(partOf(earlier), partOf(later));
    if (removed !== undefined) setPermission(remove, ref, name, { rules: removed });
    if (added !== undefined) setPermission(add, ref, name, added);
  }
  for (const side of [earlier, later])
    for (const [ref, section] of Object.entries(side.remove ?? {}))
      if (Object.keys(section.permissions ?? {}).length === 0) remove[ref] = { permissions: {} };
  const message = [earlier.message, later.message].filter((text) => text !== undefined).join("\n");
  return {
    projectName: earlier.projectName,
    ...(Object.keys(remove).length > 0 ? { remove } : {}),
    ...(Object.keys(add).length > 0 ? { add } : {}),
    ...(message === "" ? {} : { message }),
  };
}

/** What a modification does to one permission. */
interface PermissionPart {
  readonly removed: PermissionInfo["rules"];
  readonly added: PermissionInfo | undefined;
}

function joinPermission(earlier: PermissionPart, later: PermissionPart): PermissionPart {
  const isRemoved = (earlier.removed ?? later.removed) !== undefined;
  const removed = replaces(earlier) || replaces(later) ? {} : { ...earlier.removed, ...later.removed };
  const first = addition(earlier, later.removed);
  const second = addition(later, earlier.removed);
  // The replacing side decides the flag. Rules that the other side adds are newer than the rules that were read.
  const [base, over] = replaces(later) ? [second, first] : [first, second];
  const isAdded = base !== undefined || over !== undefined;
  return {
    removed: isRemoved ? removed : undefined,
    added: isAdded ? { ...over, ...base, rules: { ...base?.rules, ...over?.rules } } : undefined,
  };
}

function replaces({ removed }: PermissionPart): boolean {
  return removed !== undefined && Object.keys(removed).length === 0;
}

/** Returns what a modification adds, without the rules that the other one removes by name. */
function addition(part: PermissionPart, removedByOther: PermissionInfo["rules"]): PermissionInfo | undefined {
  return part.added === undefined || !replaces(part) ? part.added : without(part.added, removedByOther);
}

type Sections = Record<string, { permissions: Record<string, PermissionInfo> }>;

function setPermission(sections: Sections, ref: string, name: string, permission: PermissionInfo): void {
  sections[ref] ??= { permissions: {} };
  sections[ref].permissions[name] = permission;
}

function without(permission: PermissionInfo, removed: PermissionInfo["rules"]): PermissionInfo {
  const rules = Object.entries(permission.rules ?? {}).filter(([group]) => own(removed, group) === undefined);
  return { ...permission, rules: Object.fromEntries(rules) };
}

/** Returns the permissions that a modification touches. Replacing one as a whole adds back the rules that were read. */
export function permissionNames(args: ModifyAccess): readonly string[] {
  return permissionsOf(args).map(({ ref, name }) => `${name} on ${ref}`);
}

function permissionsOf(...sides: readonly ModifyAccess[]): readonly { readonly ref: string; readonly name: string }[] {
  const found = new Map<string, { ref: string; name: string }>();
  for (const side of sides)
    for (const sections of [side.remove, side.add])
      for (const [ref, section] of Object.entries(sections ?? {}))
        for (const name of Object.keys(section.permissions ?? {})) found.set(`${ref}\n${name}`, { ref, name });
  return [...found.values()];
}
