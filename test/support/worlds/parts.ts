import fc from "fast-check";
import type { Metadata } from "../../../src/core/resource.ts";
import { kinds } from "../../../src/reconcilers/registry.ts";
import type { World } from "../../../src/sandbox/world.ts";

/** How often a law is tried. CI tries it more often on one version of Node, and a nightly run much more often. */
export const lawRuns = Number(process.env.SETPOINT_LAW_RUNS ?? 4);

/** A document before it is written. */
export interface Declared {
  readonly kind: string;
  readonly spec: Readonly<Record<string, unknown>>;
  readonly metadata: Partial<Metadata> & { readonly service?: string };
}

/** What the laws for all kinds know about some of the kinds. The example of a service names its parts. */
export interface Part {
  /** A part of a world, to be merged with the other parts before it is parsed. */
  readonly world: fc.Arbitrary<Readonly<Record<string, unknown>>>;
  /** Documents of these kinds. Everything that they refer to exists or is declared. */
  readonly declared: fc.Arbitrary<readonly Declared[]>;
  /**
   * The objects of these kinds in a world that no manifest names: no apply changes them. `isFree` says of a kind and a key
   * that no manifest has them.
   */
  untouched?(world: World, isFree: (kind: string, key: string) => boolean): unknown;
}

/** Generates a subset of a few fixed values. */
export const some = <Value>(values: readonly Value[]) => fc.subarray([...values]);
export const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });

const state = fc.constantFrom("present" as const, "present" as const, "present" as const, "absent" as const);

/** Generates documents of a kind for about half of the given identities, each at most once. */
export function declarations(
  kind: string,
  identities: readonly Readonly<Record<string, unknown>>[],
  fields: (identity: Readonly<Record<string, unknown>>) => fc.Arbitrary<Readonly<Record<string, unknown>>>,
  ignorable: readonly string[] = [],
): fc.Arbitrary<readonly Declared[]> {
  const isPermanent = kinds.get(kind)?.permanent === true;
  const metadata = fc.record({
    state: isPermanent ? fc.constant("present" as const) : state,
    ignore: fc.oneof({ weight: 4, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: some(ignorable) }),
  });
  return fc
    .tuple(
      ...identities.map((identity) =>
        optional(
          fc
            .tuple(fields(identity), metadata)
            .map(([spec, about]): Declared => ({ kind, spec: { ...identity, ...spec }, metadata: about })),
        ),
      ),
    )
    .map((found) => found.filter((one) => one !== undefined));
}

/** Returns all combinations of fixed values of some fields. */
export const product = (...names: readonly (readonly [string, readonly unknown[]])[]) =>
  names.reduce<readonly Readonly<Record<string, unknown>>[]>(
    (rows, [name, values]) => rows.flatMap((row) => values.map((value) => ({ ...row, [name]: value }))),
    [{}],
  );
