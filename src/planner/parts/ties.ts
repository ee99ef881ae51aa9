import type { Address } from "../../core/resource.ts";
import { laneOf } from "../compile.ts";
import { type Declarations, eachSubject, referencesOf, type Subject } from "../subjects.ts";

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

/**
 * The ties of all that is declared now or was at the base, selected or not. One after the other: an estate may be larger
 * than what the machine of a shard should hold twice.
 */
export function* tiesOf(declarations: Declarations): Generator<Tie, void> {
  const { kinds } = declarations;
  for (const subject of eachSubject({ ...declarations, selected: () => true })) {
    const { service, kind, now, base } = subject;
    const specs = [now, base].flatMap((one) => (one?.metadata.state === "present" ? [one.spec] : []));
    yield {
      subject,
      lane: laneOf(subject),
      leadsTo:
        kind.references === undefined
          ? []
          : specs
              .flatMap((spec) => referencesOf(kinds, subject, spec))
              .map(({ address, scope }) => ({ address, lane: laneOf({ service, scope }) })),
      refers: kind.references !== undefined,
      mayGo: mayGo(subject),
    };
  }
}

function mayGo({ now }: Subject): boolean {
  return now === undefined || now.metadata.state === "absent";
}

/** The services on which something may be deleted. */
export function servicesWithDeletes(declarations: Declarations): ReadonlySet<string> {
  const services = new Set<string>();
  for (const subject of eachSubject({ ...declarations, selected: () => true }))
    if (mayGo(subject)) services.add(subject.service);
  return services;
}

/** Whether a run includes a subject. */
export function isChosen({ now, base }: Subject, selected: Declarations["selected"]): boolean {
  const stated = now ?? base;
  return stated !== undefined && selected(stated);
}
