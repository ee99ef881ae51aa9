import { isObject } from "../core/json.ts";
import { entriesOf, type ReadLiveList } from "../core/live-list.ts";
import { ProblemError } from "../core/problem.ts";
import type { Readers } from "./observe.ts";

/** Reads lists of services with the readers that observe, so that equal reads are one request. */
export function liveListReader(readers: Readers): ReadLiveList {
  return async ({ service, list, args }) => {
    const reader = readers(service);
    const read = isObject(reader) ? reader[list.row] : undefined;
    if (typeof read !== "function")
      throw new ProblemError({ code: "SP1009", message: `There is no service ${service} that has ${list.operation}.` });
    const answer: unknown = await Reflect.apply(read, undefined, [args]);
    return entriesOf(list, answer);
  };
}
