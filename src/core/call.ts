import { z } from "zod";
import type { ArgsOf, NamesOf, OperationTable, ResultOf } from "./operation.ts";
import { listOf, mapOf } from "./readonly.ts";
import { Address } from "./resource.ts";
import { SecretDelivery } from "./sink.ts";
import { defined, Json, type JsonObject } from "./text/json.ts";

const Part = z.strictObject({
  id: z.int(),
  service: z.string(),
  operation: z.string(),
  args: mapOf(Json.optional()).describe("Secrets are references."),
  carries: listOf(Address).describe("The resources whose changes this call closes."),
  phase: z.int(),
  lane: z.string().describe("The remote object: `service scope`. Calls of a lane run in order."),
  deliver: SecretDelivery.exactOptional().describe(
    "Where the new secret in the answer is stored before the lane's next call.",
  ),
});

/** A call with its place in a plan. Calls of one lane run in order; lanes of a phase run concurrently. */
export const PlannedCall = Part.extend({
  parts: listOf(Part.readonly())
    .exactOptional()
    .describe(
      "The same changes in several calls, sent instead of this one if the service refuses it as a whole, so that an error in one change does not affect the others.",
    ),
}).readonly();
export type PlannedCall = z.infer<typeof PlannedCall>;

/** Everything that an apply of these calls might send: each call, followed by its parts. */
export function withParts(calls: readonly PlannedCall[]): readonly PlannedCall[] {
  return calls.flatMap((call) => [call, ...(call.parts ?? [])]);
}

/** A call, or a part of one, with any number or none. */
type Unnumbered = Omit<PlannedCall, "id" | "parts"> & { readonly id?: number };

/** Numbers calls and their parts from 1 in the order of sending: if several fail, a resource reports the first failure. */
export function numbered(
  calls: readonly (Unnumbered & { readonly parts?: readonly Unnumbered[] | undefined })[],
): readonly PlannedCall[] {
  let last = 0;
  return calls.map(({ id: _former, parts, ...call }) => ({
    id: ++last,
    ...call,
    ...(parts === undefined ? {} : { parts: parts.map(({ id: _own, ...part }) => ({ id: ++last, ...part })) }),
  }));
}

/** One operation with its arguments, as data: shown, counted, saved, reviewed and refused before anything is sent. */
export type Call = Omit<PlannedCall, "id" | "service" | "phase" | "lane" | "parts">;

/** Known only to the compiler, so that only `callOf` can make a `CallOf`. */
declare const made: unique symbol;

/** A call of a write of the table, with arguments that its row has. */
export interface CallOf<Table extends OperationTable> extends Call {
  [made](table: Table): void;
}

/** The delivery of a secret, in the words of the table's rows. */
type DeliveryOf<Table extends OperationTable, Name extends keyof Table> = SecretDelivery & {
  readonly from: MemberOf<ResultOf<Table, Name>>;
  readonly otherwise: {
    [Undo in NamesOf<Table, "write">]: {
      readonly operation: Undo;
      readonly argument: keyof ArgsOf<Table, Undo>;
      readonly from: MemberOf<ResultOf<Table, Name>>;
    };
  }[NamesOf<Table, "write">];
};

/** `Args` with a value of type `never` for each name, at any depth, that `Shape` does not have. */
type Only<Args, Shape> = Args extends readonly (infer Entry)[]
  ? readonly Only<Entry, EntryOf<Shape>>[]
  : Args extends object
    ? {
        readonly [Name in keyof Args]: Name extends MemberOf<Shape> ? Only<Args[Name], ValueOf<Shape, Name>> : never;
      }
    : Args;

type EntryOf<Shape> = Shape extends readonly (infer Entry)[] ? Entry : never;
type MemberOf<Shape> = Shape extends readonly unknown[] ? never : Shape extends object ? keyof Shape : never;
type ValueOf<Shape, Name> = Shape extends object ? (Name extends keyof Shape ? Shape[Name] : never) : never;

/** Makes a call that closes `changes`. A name that the operation's row does not have does not compile. */
type CallBuilder<Table extends OperationTable> = <
  Name extends NamesOf<Table, "write">,
  const Args extends ArgsOf<Table, Name>,
>(
  operation: Name,
  args: Args & Only<Args, ArgsOf<Table, Name>>,
  changes: readonly { readonly address: Address }[],
  deliver?: DeliveryOf<Table, Name>,
) => CallOf<Table>;

/** Returns the builder of a kind's calls: `const call = callOf<ReviewOperations>()`. Undefined arguments are not sent. */
export function callOf<Table extends OperationTable>(): CallBuilder<Table>;
export function callOf(): object {
  return makeCall;
}

function makeCall(
  operation: string,
  args: JsonObject,
  changes: readonly { readonly address: Address }[],
  deliver?: SecretDelivery,
): Call {
  return defined({ operation, args: defined(args), carries: changes.map(({ address }) => address), deliver });
}
