import { STATUS_CODES } from "node:http";

/** A refused request, not yet in the words of the service. Its message is that of the status unless `said` is set. */
export class Refusal extends Error {
  readonly status: number;
  readonly said: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** Further facts of the error, for services whose errors carry some. */
  readonly details: unknown;
  constructor(status: number, said?: string, headers: Readonly<Record<string, string>> = {}, details?: unknown) {
    super(said ?? STATUS_CODES[status]);
    this.name = "Refusal";
    this.status = status;
    this.said = said;
    this.headers = headers;
    this.details = details;
  }
}

/** The refusal of what the product does and the sandbox does not: it must look like neither a success nor a mistake. */
export function notModelled(what: string): Refusal {
  return new Refusal(501, `The sandbox does not model ${what}.`);
}

/** A value that must be there. Throws `Refusal` 404 if it is not. */
export function found<Value>(value: Value | undefined, said?: string): Value {
  if (value === undefined) throw new Refusal(404, said);
  return value;
}

/** The entry of a list that must be there. Throws `Refusal` 404 if it is not. */
export function foundIn<Entry>(list: readonly Entry[], isIt: (entry: Entry) => boolean, said?: string): Entry {
  return found(list.find(isIt), said);
}

/** What a record holds under a name: nothing under the names that every object has. */
export function memberOf<Value>(record: Readonly<Record<string, Value>>, name = ""): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
