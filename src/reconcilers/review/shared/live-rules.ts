import type { LeaveOut } from "../../../core/kind.ts";
import type { Problem } from "../../../core/problem.ts";
import {
  type AccessMarker,
  exclusiveClaim,
  groupName,
  plainRule,
  ruleClaim,
  spotClaims,
  strangePermission,
} from "./access.ts";
import { allCells, locksOf } from "./live-locks.ts";
import { lockClaims } from "./lock.ts";
import { permissionIn } from "./permission-names.ts";

/** The live rules of one permission, each with its group as a manifest names it. */
export interface LiveRules {
  readonly project: string;
  readonly ref: string;
  readonly permission: string;
  /** Absent if a lock manages it. */
  readonly exclusive?: boolean;
  readonly rules: readonly object[];
}

/**
 * Returns a project's rules, without those that a lock manages. `leaveOut` is told the keys of permissions that setpoint does
 * not understand, and of blocks that might belong to a lock.
 */
export function liveRules(project: string, access: AccessMarker, leaveOut: LeaveOut): readonly LiveRules[] {
  const unclear = new Map<string, Problem>();
  const locks = locksOf(project, access, (branch, problem) => {
    const claims = [...allCells(branch).values()].flatMap((cell) => spotClaims(project, cell, []));
    for (const claim of claims) unclear.set(claim, problem);
  });
  const locked = new Set(locks.flatMap((lock) => lockClaims(lock)));
  return Object.entries(access.local).flatMap(([ref, { permissions = {}, unclear: strange = {} }]) =>
    // What setpoint does not understand in a section can be about each of its permissions.
    (Object.keys(strange).length > 0 ? ["*"] : Object.keys(permissions)).flatMap((permission) => {
      const { rules: live = {}, exclusive = false } = permissionIn(access.local, ref, permission) ?? {};
      const flag = exclusiveClaim(project, ref, permission);
      const isBlock = Object.values(live).some(({ action }) => action === "BLOCK");
      const problem = strangePermission(access, ref, permission) ?? (isBlock ? unclear.get(flag) : undefined);
      if (problem !== undefined) {
        leaveOut(`${project}:${ref}:${permission}`, problem);
        return [];
      }
      const rules = Object.entries(live)
        .map(([uuid, rule]) => ({ group: groupName(access, uuid), ...plainRule(rule) }))
        .filter(({ group }) => !locked.has(ruleClaim(project, ref, permission, group)));
      // An exclusive permission without rules denies what wider patterns allow.
      if (rules.length === 0 && (!exclusive || locked.has(flag))) return [];
      return [{ project, ref, permission, ...(locked.has(flag) ? {} : { exclusive }), rules }];
    }),
  );
}
