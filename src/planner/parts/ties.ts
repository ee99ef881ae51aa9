import { type Declarations, eachSubject, referencesOf, type Subject, type Target } from "../subjects.ts";

/** What planning one resource requires knowing about others, as far as declarations show. */
export interface Tie {
  readonly subject: Subject;
  /** What the resource refers to, declared or not, now or at the base. */
  readonly leadsTo: readonly Target[];
}

/**
 * Yields the ties of everything declared now or at the base, selected or not, one at a time: a shard's machine should not have
 * to hold the whole estate twice.
 */
export function* tiesOf(declarations: Declarations): Generator<Tie, void> {
  for (const subject of eachSubject({ ...declarations, selected: () => true })) {
    const stated = [subject.now, subject.base].flatMap((one) => (one?.metadata.state === "present" ? [one.spec] : []));
    yield { subject, leadsTo: stated.flatMap((spec) => referencesOf(declarations.kinds, subject, spec)) };
  }
}

/** Whether its kind has references: the live object may refer to something that no manifest states. */
export function refers({ kind }: Subject): boolean {
  return kind.references !== undefined;
}

/** Whether it may be deleted: changes of what refers to it must then come first. */
export function mayGo({ now }: Subject): boolean {
  return now === undefined || now.metadata.state === "absent";
}
