import type { CallOf } from "../../core/call.ts";
import { type Change, eventTime, type ObjectEvent, type Writable } from "../../core/change.ts";
import type { SignIn } from "../../core/kind.ts";
import type { OperationTable, Reader } from "../../core/operation.ts";
import { type Problem, problemsOf } from "../../core/problem.ts";
import type { Sink } from "../../core/sink.ts";
import { milliseconds } from "../../core/text/duration.ts";
import { defined } from "../../core/text/json.ts";
import { quote } from "../../core/text/words.ts";
import { Text } from "./fields.ts";
import { type Unclear, unclearIn } from "./told.ts";

/*
 * A token has no update, so each new one is a generation of the same resource: `deploy`, `deploy (2)`, `deploy (3)`.
 * @see docs/decisions/token-rotation.md
 */

const suffix = / \((?:[2-9]|[1-9]\d{1,7})\)$/;

/** The description of a token's first generation. */
export const Description = Text.max(1000)
  .refine((text) => text === text.trim(), "expected a description without leading or trailing spaces")
  .refine((text) => !suffix.test(text), "expected no number in parentheses at the end: rotations add one")
  .describe("What the token is for; a rotated token adds a number, such as `(2)`.");

/** What a write needs: the ids of all generations, oldest first, and the number of the next one. */
export interface Generations<Id> {
  readonly ids: readonly Id[];
  /** The id of the live one that counts: the one that the sink holds, or the newest. */
  readonly current: Id | undefined;
  readonly next: number;
  /** The id of the one that the sink is known to hold, if others are left over. */
  readonly kept?: Id;
}

/** A token as the service lists it. */
export interface Listed {
  readonly id: string | number;
  readonly description: string;
  /** Milliseconds since 1970; undefined if it never expires or the service does not report it. */
  readonly ends: number | undefined;
  /** The same for its creation. */
  readonly created: number | undefined;
  /** The same for its last use; undefined if it was never used. */
  readonly used?: number | undefined;
  /** What the service reports about it that setpoint does not understand. */
  readonly unclear: Unclear;
}

/**
 * What the service says about the secret in a sink: the generation it belongs to; that it belongs to no live generation; or
 * nothing, because there is no secret or the service does not say.
 */
export type Held<Id> = { readonly is: "generation"; readonly id: Id } | { readonly is: "stranger" | "untold" };

/** Asks the service about the secret in a sink, as its owner. Only a refused sign-in shows that it is no generation's. */
export async function askHeld<Id, Table extends OperationTable>(
  sink: Sink | undefined,
  signIn: SignIn<Table> | undefined,
  ask: (read: Reader<Table>) => Promise<Held<Id>>,
): Promise<Held<Id>> {
  const owner = sink === undefined ? undefined : await signIn?.(sink);
  if (owner === undefined) return { is: "untold" };
  try {
    return await ask(owner);
  } catch (error) {
    return { is: problemsOf(error).every(({ code }) => code === "SP3003") ? "stranger" : "untold" };
  }
}

/**
 * The live state of one resource. Several live generations mean that a rotation was interrupted, or that two runs created
 * one each.
 */
export type FoundToken<T extends Listed> =
  | { readonly is: "absent"; readonly marker: Generations<T["id"]> }
  | {
      readonly is: "present";
      readonly token: T;
      readonly marker: Generations<T["id"]>;
      /** What is wrong besides its fields, in words. */
      readonly note?: string;
      /** Set if the service has confirmed that the sink holds this token's secret. */
      readonly isHeld?: true;
    }
  | { readonly is: "unknown"; readonly problem: Problem };

/**
 * Finds the generations of a description. An expired token is not live, but keeps its number and is revoked too. `held`
 * returns what the service says about the sink. Without a sink, several live generations are a problem, because no rotation
 * can follow.
 */
export async function findToken<T extends Listed>(
  tokens: readonly T[],
  { description, deliver }: { readonly description: string; readonly deliver?: Sink | undefined },
  now: Date,
  held: (live: readonly T["id"][]) => Promise<Held<T["id"]>>,
): Promise<FoundToken<T>> {
  const all = tokens
    .flatMap((token) => {
      const number = numberOf(description, token.description);
      return number === undefined ? [] : [{ token, number }];
    })
    .sort((a, b) => a.number - b.number);
  const live = all.filter(({ token }) => !isOver(token, now));
  if (live.length > 1 && deliver === undefined)
    return { is: "unknown", problem: several(live.map(({ token }) => token)) };
  // A token whose description is not understood might be the one that is not found.
  const isNameless = ({ unclear = {} }: T) => Object.hasOwn(unclear, "description");
  const doubtful = live.length > 0 ? live.map(({ token }) => token) : tokens.filter(isNameless);
  const [problem] = doubtful.flatMap((token) => strange(token) ?? []);
  if (problem !== undefined) return { is: "unknown", problem };
  const newest = live.at(-1)?.token;
  const ids = all.map(({ token }) => token.id);
  const next = (all.at(-1)?.number ?? 0) + 1;
  if (newest === undefined) return { is: "absent", marker: { ids, current: undefined, next } };
  const answer = await held(live.map(({ token }) => token.id));
  const own = answer.is === "generation" ? live.find(({ token }) => token.id === answer.id)?.token : undefined;
  const token = own ?? newest;
  const others = live.length - 1;
  const kept = own === undefined || others === 0 ? {} : { kept: own.id };
  const marker = { ids, current: token.id, next, ...kept };
  return { is: "present", token, marker, ...defined({ isHeld: own && true, note: flawOf(own, others, answer) }) };
}

function flawOf(own: Listed | undefined, others: number, { is }: Held<unknown>): string | undefined {
  if (own === undefined && others > 0) return "a rotation was interrupted, or two runs created a token each";
  if (own === undefined) return is === "untold" ? undefined : "the secret in its sink is not this token's";
  if (others === 0) return undefined;
  const left = others === 1 ? "1 other is" : `${others} others are`;
  return `its sink holds ${quote(own.description)}; ${left} left over`;
}

/** Returns the live tokens that a manifest could declare: understood, with a valid description and one live generation. */
export function declarable<T extends Listed>(
  tokens: readonly T[],
  now: Date | undefined,
): readonly (T & { readonly base: string })[] {
  const live = tokens
    .filter((token) => !isOver(token, now))
    .map((token) => ({ ...token, base: token.description.replace(suffix, "") }));
  return [...Map.groupBy(live, ({ base }) => base).values()]
    .filter((group) => group.length === 1)
    .flat()
    .filter((token) => Description.safeParse(token.base).success && strange(token) === undefined);
}

function strange({ description, unclear }: Listed): Problem | undefined {
  return unclearIn(`the token ${quote(description)}`, "listTokens", unclear);
}

function numberOf(description: string, live: string): number | undefined {
  if (live === description) return 1;
  const rest = live.startsWith(description) ? live.slice(description.length) : "";
  return suffix.exec(rest)?.index === 0 ? Number(rest.slice(2, -1)) : undefined;
}

function isOver({ ends }: Listed, now: Date | undefined): boolean {
  return ends !== undefined && now !== undefined && ends <= now.getTime();
}

function several(live: readonly Listed[]): Problem {
  const names = [...new Set(live.map(({ description }) => quote(description)))].join(", ");
  return {
    code: "SP3010",
    message: `${live.length} live tokens belong to one resource (${names}), and the manifest does not say where its secret is.`,
    hint: "Set deliver, so that the next apply keeps the one in the sink or creates a new one, or revoke all except the one in use.",
  };
}

/** Returns a token's last use and its creation, as far as the service reports them. */
export function eventsOf({ used, created }: Listed): readonly ObjectEvent[] {
  const times = [
    { what: "used", moment: used },
    { what: "created", moment: created },
  ] as const;
  return times.flatMap(({ what, moment }) => (moment === undefined ? [] : [{ what, ...eventTime(moment) }]));
}

/** Returns the fields that a rotation follows from, as declared if none is due. What is due reads the same in every run. */
export function liveRotation(
  { token: { ends }, note }: Extract<FoundToken<Listed>, { readonly is: "present" }>,
  { rotateBefore, deliver }: { readonly rotateBefore?: string | undefined; readonly deliver?: Sink | undefined },
  now: Date,
) {
  const isDue = rotateBefore !== undefined && ends !== undefined && ends - now.getTime() <= milliseconds(rotateBefore);
  return {
    rotateBefore: isDue ? `ends ${new Date(ends).toISOString()}` : rotateBefore,
    deliver: note === undefined ? deliver : undefined,
  };
}

/** Returns what a person must do if a new token could not be delivered; such a token is not created. */
export function needsSink(change: Writable<{ readonly deliver?: Sink | undefined }>): string | undefined {
  if (change.action === "delete" || change.desired.deliver !== undefined) return undefined;
  return "A new token is shown only once, and the manifest does not say where it goes: set deliver.";
}

/**
 * Returns what a person must do if a rotation is due and the new token would be due at once as well, because it lives no longer
 * than `rotateBefore`. `livesFor` returns the milliseconds that a new token lives, `Infinity` if it never expires or nothing
 * says so. A manifest that states both is refused before this.
 */
export function needsLonger<Spec extends { readonly rotateBefore?: string | undefined }>(
  change: Writable<Spec>,
  field: keyof Spec & string,
  livesFor: (desired: Spec) => number,
): string | undefined {
  if (change.action !== "update" || change.fields.every(({ path: [name] }) => name !== "rotateBefore"))
    return undefined;
  const { rotateBefore } = change.desired;
  if (rotateBefore === undefined || livesFor(change.desired) > milliseconds(rotateBefore)) return undefined;
  return `A new token would live as long as this one, no longer than rotateBefore, so every run would rotate it: set ${field} to more than ${rotateBefore}, or shorten rotateBefore.`;
}

/** The calls with which a service creates and revokes tokens. */
export interface TokenCalls<Spec, Id, Table extends OperationTable> {
  /** Creates a token. Its secret goes to a sink; if that fails, the token is revoked. */
  create(spec: Spec, description: string, to: Sink, change: Pick<Change, "address">): CallOf<Table>;
  revoke(tokenId: Id, change: Pick<Change, "address">): CallOf<Table>;
}

/** Whether the only thing wrong is that others are left over besides the token that the sink holds. */
export function isTidying(change: Change<unknown, Generations<unknown>>): boolean {
  return (
    change.action === "update" &&
    change.marker.kept !== undefined &&
    change.fields.every(({ path: [name] }) => name === "deliver")
  );
}

/**
 * Creates a new generation, delivers and checks it, and only then revokes all others. If the sink is known to hold one that
 * is as desired, that one stays.
 */
export function rotate<
  Spec extends { readonly description: string; readonly deliver?: Sink | undefined },
  Id,
  Table extends OperationTable,
>(change: Writable<Spec, Generations<Id>>, calls: TokenCalls<Spec, Id, Table>): readonly CallOf<Table>[] {
  const { marker } = change;
  const kept = isTidying(change) ? marker.kept : undefined;
  const revoked = marker.ids.filter((id) => id !== kept).map((tokenId) => calls.revoke(tokenId, change));
  if (change.action === "delete" || kept !== undefined) return revoked;
  const { desired } = change;
  if (desired.deliver === undefined) return [];
  const description = marker.next === 1 ? desired.description : `${desired.description} (${marker.next})`;
  return [calls.create(desired, description, desired.deliver, change), ...revoked];
}
