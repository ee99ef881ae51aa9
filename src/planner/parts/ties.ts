import type { Address } from "../../core/resource.ts";
import { type Declarations, eachSubject, laneOf, referencesOf, type Subject } from "../subjects.ts";

/** What planning one resource requires knowing about others, as far as declarations show. */
export interface Tie {
  readonly subject: Subject;
  /** The remote object that is read and written as one. */
  readonly lane: string;
  /** What the resource refers to, declared or not, now or at the base. */
  readonly leadsTo: readonly { readonly address: Address; readonly lane: string }[];
  /** Whether its kind has references: the live object may refer to something that no manifest states. */
  readonly refers: boolean;
  /** Whether it may be deleted: changes of what refers to it must then come first. */
  readonly mayGo: boolean;
}

/**
 * Yields the ties of everything declared now or at the base, selected or not, one at a time: a shard's machine should not have
 * to hold the whole estate twice.
 */
export function* tiesOf(declarations: Declarations): Generator<Tie, void> {
  const { kinds } = declarations;
  for (const subject of eachSubject({ ...declarations, selected: () => true })) {
    const { service, kind, lane, now, base } = subject;
    const specs = [now, base].flatMap((one) => (one?.metadata.state === "present" ? [one.spec] : []));
    yield {
      subject,
      lane,
      leadsTo:
        kind.references === undefined
          ? []
          : specs
              .flatMap((spec) => referencesOf(kinds, subject, spec))
              .map(({ address, scope }) => ({ address, lane: laneOf(service, scope) })),
      refers: kind.references !== undefined,
      mayGo: mayGo(subject),
    };
  }
}

function mayGo({ now }: Subject): boolean {
  return now === undefined || now.metadata.state === "absent";
}

/** Returns the services on which something may be deleted. */
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
