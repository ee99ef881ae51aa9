import type { Writable } from "../../core/change.ts";
import { Text } from "./fields.ts";

/** An object's name, in a field that the kind chooses, and its former name. */
type Renamable<Field extends string> = { readonly [Name in Field]: string } & {
  readonly renamedFrom?: string | undefined;
};

/** Returns the schema of the field with an object's former name. */
export function formerName(what: string) {
  return Text.optional().describe(`Former name: the ${what} that has it is renamed if none has the new name.`);
}

/** The refinement of a specification with a former name. */
export const differentNames = [
  ({ name, renamedFrom }: Renamable<"name">) => name !== renamedFrom,
  "expected a renamedFrom that differs from name",
] as const;

/** Returns the record that a specification is about: the one with its name or, if there is none, with its former name. */
export function recordOf<Record extends { readonly name: string }>(
  { name, renamedFrom }: Renamable<"name">,
  records: readonly Record[],
): Record | undefined {
  return records.find((record) => record.name === name) ?? records.find((record) => record.name === renamedFrom);
}

/**
 * Returns what kinds with renamable objects share. A resource claims both names, so that the old object, which has left the
 * manifests, is not deleted and no other resource declares it.
 */
export function renames<Field extends string, Spec extends Renamable<Field>>(
  what: string,
  field: Field,
  keyOf: (spec: Spec) => string,
) {
  const claimOf = (key: string) => `the ${what} ${key}`;
  const formerKey = (spec: Spec): string | undefined =>
    spec.renamedFrom === undefined ? undefined : keyOf({ ...spec, [field]: spec.renamedFrom });
  return {
    formerKey,
    claims: (spec: Spec): readonly string[] => {
      const former = formerKey(spec);
      return [keyOf(spec), ...(former === undefined ? [] : [former])].map(claimOf);
    },
    /** Whether a delete removes the object itself; false if the object has only its former name, or is being renamed. */
    isGone: ({ live, declared, kept }: Extract<Writable<Spec>, { readonly action: "delete" }>): boolean =>
      live[field] === declared[field] && !kept.includes(claimOf(keyOf(declared))),
  };
}
