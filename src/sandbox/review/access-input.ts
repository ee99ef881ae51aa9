import { z } from "zod";
import type { ServiceRequest } from "../exchange.ts";
import { Refusal } from "../refusal.ts";
import { readInput } from "./json-input.ts";
import { type ReviewGroup, type ReviewPermission, type ReviewRule, RuleAction } from "./state.ts";

/** A section of a request as the service understands it, without the parts that its parser skips. */
export interface InputSection {
  readonly ref: string;
  readonly permissions: readonly (ReviewPermission & { readonly name: string })[];
}

/** A boolean, also as a string: `true` in any case is true, every other string is false. */
const Flag = z.union([z.boolean(), z.string().transform((text) => text.toLowerCase() === "true")]).nullish();

/** Returns the schema of a map; an empty array also means an empty map. */
function mapOf<Value extends z.ZodType>(value: Value) {
  return z.preprocess((map) => (Array.isArray(map) && map.length === 0 ? {} : map), z.record(z.string(), value));
}

const RuleInput = z
  .object({ action: RuleAction.nullish(), force: Flag, min: z.int().nullish(), max: z.int().nullish() })
  .nullable();
const PermissionInput = z.object({ exclusive: Flag, rules: mapOf(RuleInput).nullish() }).nullable();
const Sections = mapOf(z.object({ permissions: mapOf(PermissionInput).nullish() }).nullable());
type Sections = z.infer<typeof Sections>;
const Input = z.object({
  add: Sections.nullish(),
  remove: Sections.nullish(),
  message: z.string().nullish(),
  parent: z.string().nullish(),
});

/**
 * Reads a request to change access. Unknown fields are silently ignored. Throws `Refusal`: 400 for anything
 * else, 422 for an unknown group in `add`, 500 if the real server fails: on null, on a section or permission without
 * contents in `add`, and on one permission in two spellings.
 *
 * @see docs/facts.md, review: in `remove`, a section without permissions is deleted
 */
export function readAccessInput(request: ServiceRequest, groups: readonly ReviewGroup[]) {
  const { add, remove, message, parent } = readInput(request, Input);
  checkContents(add ?? {});
  return {
    remove: readSections(remove ?? {}, (group) => findGroup(groups, group) ?? group),
    add: readSections(add ?? {}, (group) => requireGroup(groups, group)),
    message: message ?? undefined,
    parent: parent ?? undefined,
  };
}

/** Checks, before anything else, that additions have contents and that ranges of votes are complete and in order. */
function checkContents(sections: Sections): void {
  for (const [ref, section] of entriesOf(sections))
    for (const [name, permission] of entriesOf(section.permissions ?? failure()))
      for (const [group, { min, max }] of entriesOf(permission.rules ?? failure())) {
        const mistake = rangeMistake(min ?? undefined, max ?? undefined);
        if (mistake === undefined) continue;
        const rest = `assigns ${name} to group ${group} on ref ${ref}: ${min ?? ""}..${max ?? ""} (${mistake})`;
        throw new Refusal(400, `Invalid range for permission rule that ${rest}`);
      }
}

function entriesOf<Value>(record: Readonly<Record<string, Value | null>>): readonly (readonly [string, Value])[] {
  return Object.entries(record).flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
}

function rangeMistake(min: number | undefined, max: number | undefined): string | undefined {
  if (min === undefined && max === undefined) return undefined;
  if (min === undefined) return "min is required if max is set";
  if (max === undefined) return "max is required if min is set";
  return min > max ? "min must be <= max" : undefined;
}

function failure(): never {
  throw new Refusal(500);
}

function readSections(sections: Sections, groupNamed: (id: string) => string): readonly InputSection[] {
  return Object.entries(sections).flatMap(([ref, section]) => {
    const { permissions } = section ?? failure();
    if (permissions === null || permissions === undefined) return [];
    const read = readPermissions(permissions, groupNamed);
    if (new Set(read.map(({ name }) => name.toLowerCase())).size < read.length) throw new Refusal(500);
    return [{ ref, permissions: read }];
  });
}

function readPermissions(
  permissions: Readonly<Record<string, z.infer<typeof PermissionInput>>>,
  groupNamed: (id: string) => string,
): InputSection["permissions"] {
  return Object.entries(permissions).flatMap(([name, permission]) => {
    const { exclusive, rules } = permission ?? failure();
    if (rules === null || rules === undefined) return [];
    return [
      {
        name,
        exclusive: exclusive ?? false,
        rules: Object.entries(rules).map(([group, rule]): ReviewRule => {
          const { action, force, min, max } = rule ?? {};
          return {
            group: groupNamed(group),
            action: action ?? "ALLOW",
            force: force ?? false,
            ...(min || max ? { min: min ?? 0, max: max ?? 0 } : {}),
          };
        }),
      },
    ];
  });
}

function requireGroup(groups: readonly ReviewGroup[], id: string): string {
  const uuid = findGroup(groups, id);
  if (uuid === undefined) throw new Refusal(422, `${id} is not a valid group ID`);
  return uuid;
}

/** Returns the UUID of the group with a UUID, a number, or a name in any case; a name of two groups finds neither. */
export function findGroup(groups: readonly ReviewGroup[], id: string): string | undefined {
  const exact = groups.find((group) => group.uuid === id || String(group.number) === id);
  if (exact !== undefined) return exact.uuid;
  const named = groups.filter((group) => group.name.toLowerCase() === id.toLowerCase());
  return named.length === 1 ? named[0]?.uuid : undefined;
}
