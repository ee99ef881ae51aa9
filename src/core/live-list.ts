import type { ArgsOf, NamesOf, OperationTable, ResultOf } from "./operation.ts";
import type { RoleName } from "./resource.ts";
import { isObject, type JsonObject } from "./text/json.ts";
import { inOrder } from "./text/words.ts";

/** A list of a service that a document can be repeated over. */
export interface LiveList {
  /** The name in a manifest. */
  readonly operation: string;
  /** The name of the row in the client's table. */
  readonly row: string;
  /** Arguments of the row that a manifest may state besides the operation. */
  readonly args: Readonly<Record<string, LiveListArgument>>;
  /** The field of an entry that patterns are matched against. */
  readonly naturalName: string;
}

/** An argument of a list. Its value is text. */
export interface LiveListArgument {
  readonly required: boolean;
  readonly description: string;
}

/**
 * A list that a table has: `row` names one of its reads, `args` arguments of that row, with all that it requires, and
 * `naturalName` a field of its records.
 */
export type LiveListOf<T extends OperationTable> = {
  [Name in NamesOf<T, "read">]: Omit<LiveList, "row" | "args" | "naturalName"> & {
    readonly row: Name;
    readonly naturalName: ResultOf<T, Name> extends readonly (infer Entry)[] ? StatedField<Entry> : string;
    readonly args: { readonly [Argument in keyof ArgsOf<T, Name>]: LiveListArgument };
  };
}[NamesOf<T, "read">];

/** The name of a field that a record's type states, even if the record can have more. */
type StatedField<Entry> = keyof { [Field in keyof Entry as string extends Field ? never : Field]: Field } & string;

/** A request for a list of a service. */
export interface LiveListRequest {
  readonly service: string;
  readonly role: RoleName;
  readonly list: LiveList;
  readonly args: JsonObject;
}

/** An entry of a list: the plain values of a record. */
export type LiveEntry = Readonly<Record<string, string | number | boolean>>;

/** Reads a list. Throws `ProblemError` if the service cannot say. */
export type ReadLiveList = (request: LiveListRequest) => Promise<readonly LiveEntry[]>;

/**
 * Returns the entries of an answer, sorted by their natural names. The answer is an array of records, or a dictionary
 * whose keys are the names. Only plain values of a record are kept.
 */
export function entriesOf({ naturalName }: LiveList, answer: unknown): readonly LiveEntry[] {
  const records: readonly unknown[] = Array.isArray(answer)
    ? answer
    : Object.entries(isObject(answer) ? answer : {}).map(([name, record]) => ({
        ...(isObject(record) ? record : {}),
        [naturalName]: name,
      }));
  return records
    .filter(isObject)
    .map((record): LiveEntry => Object.fromEntries(Object.entries(record).filter(isPlain)))
    .sort((a, b) => inOrder(String(a[naturalName]), String(b[naturalName])));
}

function isPlain(entry: [string, unknown]): entry is [string, LiveEntry[string]] {
  return ["string", "number", "boolean"].includes(typeof entry[1]);
}
