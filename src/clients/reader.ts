import { canonicalJson, type JsonObject } from "../core/json.ts";
import type { OperationTable, Reader } from "../core/operation.ts";
import type { Service } from "../core/service.ts";
import type { SendCall, ServiceDescriptor } from "./service.ts";

type Read = (args: JsonObject) => Promise<unknown>;

/**
 * The reading half of a service's client. Equal calls share one request for the life of the reader, failed ones too;
 * reads that the service can answer together and that are wanted at once share one request.
 */
export function readerOf<Table extends OperationTable>(
  call: SendCall,
  service: Pick<Service, "wire">,
  descriptor: Pick<ServiceDescriptor<string, Table>, "operations" | "joinReads">,
): Reader<Table>;
export function readerOf(
  call: SendCall,
  { wire }: Pick<Service, "wire">,
  { operations, joinReads }: Pick<ServiceDescriptor, "operations" | "joinReads">,
): object {
  const joined = wire === "product" ? (joinReads?.(call) ?? {}) : {};
  const reads = Object.entries(operations)
    .filter(([, operation]) => operation.effect === "read")
    .map(([name]) => [name, shared(joined[name] ?? ((args) => call(name, args)))] as const);
  return Object.fromEntries(reads);
}

function shared(read: Read): Read {
  const answers = new Map<string, Promise<unknown>>();
  return (args) => {
    const key = canonicalJson(args);
    const known = answers.get(key);
    if (known !== undefined) return known;
    const answer = read(args);
    answers.set(key, answer);
    return answer;
  };
}
