import { STATUS_CODES } from "node:http";

/** A refused request, not yet in the words of the service. The message defaults to the standard text of the status. */
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

/** Refuses what the product does and the sandbox does not. The answer must look like neither a success nor a caller's error. */
export function notModelled(what: string): Refusal {
  return new Refusal(501, `The sandbox does not model ${what}.`);
}

/** Returns a value that must exist. Throws `Refusal` 404 if it does not. */
export function found<Value>(value: Value | undefined, said?: string): Value {
  if (value === undefined) throw new Refusal(404, said);
  return value;
}

/** Returns the first entry of a list for which `isIt` is true. Throws `Refusal` 404 if there is none. */
export function foundIn<Entry>(list: readonly Entry[], isIt: (entry: Entry) => boolean, said?: string): Entry {
  return found(list.find(isIt), said);
}
