import type { Address } from "../../core/resource.ts";
import { laneOf } from "../compile.ts";
import { type Declarations, referencesOf, type Subject, subjectsOf } from "../subjects.ts";

/** What planning one resource takes to know of others, as far as declarations tell. */
export interface Tie {
  readonly subject: Subject;
  /** The remote object that is read and written as one. */
  readonly lane: string;
  /** What it refers to, declared or not, now or at the base. */
  readonly leadsTo: readonly { readonly address: Address; readonly lane: string }[];
  /** Whether its kind refers to others: what is live may refer to something that no manifest says. */
  readonly refers: boolean;
  /** Whether it may be deleted: then what refers to it comes first. */
  readonly mayGo: boolean;
}

/** The ties of all that is declared now or was at the base, selected or not. */
export function tiesOf(declarations: Declarations): readonly Tie[] {
  const { kinds } = declarations;
  return subjectsOf({ ...declarations, selected: () => true }).map((subject): Tie => {
    const { service, kind, now, base } = subject;
    const specs = [now, base].flatMap((one) => (one?.metadata.state === "present" ? [one.spec] : []));
    return {
      subject,
      lane: laneOf(subject),
      leadsTo:
        kind.references === undefined
          ? []
          : specs
              .flatMap((spec) => referencesOf(kinds, subject, spec))
              .map(({ address, scope }) => ({ address, lane: laneOf({ service, scope }) })),
      refers: kind.references !== undefined,
      mayGo: now === undefined || now.metadata.state === "absent",
    };
  });
}
