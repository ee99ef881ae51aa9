import { z } from "zod";
import type { AccessRuleInfo } from "../../../clients/review/access.ts";
import { onceFor } from "../../../core/once.ts";

/**
 * The name of a permission. The service would write others too, and could then no longer read its own configuration.
 * @see docs/facts.md, review: a name that the configuration cannot hold
 */
export const PermissionName = z.string().regex(/^[A-Za-z0-9-]+$/, "expected letters, digits and hyphens");

type ByName<Permission> = Readonly<Record<string, Permission>> | undefined;
type Sections<Permission> = Readonly<Record<string, { readonly permissions?: ByName<Permission> }>>;

/** Returns the permission with this name in any case. @see docs/facts.md, review: a permission is found in any case */
export function permissionIn<Permission>(sections: Sections<Permission>, ref: string, permission: string) {
  return permissionNamed(sections[ref]?.permissions, permission);
}

interface Stated {
  readonly ref: string;
  readonly permission: string;
  readonly exclusive?: boolean | undefined;
  readonly rules: readonly AccessRuleInfo[];
}

const capabilities = "GLOBAL_CAPABILITIES";

/**
 * Whether the service stores the flag of a permission as stated: it keeps none for ownership and for capabilities.
 * @see docs/facts.md, review: capabilities have no flag
 */
export function canBeExclusive({ ref, permission, exclusive }: Stated): boolean {
  return (ref !== capabilities && permission !== "owner") || exclusive !== true;
}

/**
 * Whether the service stores the ranges of rules as stated: it keeps those of votes and of two capabilities.
 * @see docs/facts.md, review: a range
 */
export function canHaveRange({ ref, permission, rules }: Stated): boolean {
  const ranged = ref === capabilities ? /^(?:queryLimit|batchChangesLimit)$/i : /^(?:label|labelAs|removeLabel)-/;
  return ranged.test(permission) || rules.every(({ min = 0, max = 0 }) => min === 0 && max === 0);
}

/** Returns a section's spelling of a permission; the given one if the section does not have it. */
export function permissionName(sections: Sections<unknown>, ref: string, permission: string): string {
  return spelling(sections[ref]?.permissions, permission) ?? permission;
}

/** Returns what a person must do if the service spells a permission differently: one request has one spelling. */
export function spellingMistake(
  sections: Sections<unknown>,
  { ref, permission }: { readonly ref: string; readonly permission: string },
): string | undefined {
  const name = permissionName(sections, ref, permission);
  return name === permission ? undefined : `The service spells this permission ${name}: write it that way.`;
}

/** Returns the permission with this name, in any case, in one section. */
export function permissionNamed<Permission>(
  permissions: ByName<Permission>,
  permission: string,
): Permission | undefined {
  const name = spelling(permissions, permission);
  return name === undefined ? undefined : permissions?.[name];
}

function spelling(permissions: ByName<unknown>, permission: string): string | undefined {
  if (permissions === undefined || Object.hasOwn(permissions, permission)) return permission;
  return spellingsIn(permissions).get(permission.toLowerCase());
}

const spellingsIn = onceFor(
  (permissions: object) => new Map(Object.keys(permissions).map((name) => [name.toLowerCase(), name])),
);
