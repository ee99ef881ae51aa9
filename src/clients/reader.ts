import DataLoader from "dataloader";
import { canonicalJson, type JsonObject } from "../core/json.ts";
import type { OperationTable, Reader } from "../core/operation.ts";
import { type ProblemCode, ProblemError } from "../core/problem.ts";
import type { Role } from "../core/resource.ts";
import type { Service } from "../core/service.ts";
import { bulkReads } from "./artifacts/bulk.ts";
import type { ProjectAccess } from "./review/access.ts";
import { reviewOperations } from "./review/operations.ts";

/** Sends an operation and decodes its answer. */
type SendCall = (operation: string, args: JsonObject) => Promise<unknown>;
type Read = (args: JsonObject) => Promise<unknown>;

/**
 * The reading half of a table's client. Equal calls share one request for the life of the reader, failed ones too; reads
 * of several projects' access, or items' properties, that are wanted at once share one request where the service has it.
 */
export function readerOf<Table extends OperationTable>(
  call: SendCall,
  service: Pick<Service, "role" | "wire">,
  table: Table,
): Reader<Table>;
export function readerOf(call: SendCall, service: Pick<Service, "role" | "wire">, table: OperationTable): object {
  const batched = service.wire === "product" ? batchedReads(call, service.role) : {};
  const reads = Object.entries(table)
    .filter(([, operation]) => operation.effect === "read")
    .map(([name]) => [name, shared(batched[name] ?? ((args) => call(name, args)))] as const);
  return Object.fromEntries(reads);
}

function batchedReads(call: SendCall, role: Role): Readonly<Record<string, Read>> {
  switch (role) {
    case "review":
      return { getProjectAccess: accessLoader(call) };
    case "artifacts":
      return { ...bulkReads(call) };
    default:
      return {};
  }
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

/** The most projects in one request: keeps its line below the 8 KiB that servers commonly allow. */
const largestBatch = 25;

/** What a server without the bulk read, or one that stumbles over one of the projects, answers. */
const noBulk: ReadonlySet<ProblemCode> = new Set(["SP3004", "SP3005", "SP3007", "SP3103"]);

/** Joins the reads of one tick. @see facts.md, review */
function accessLoader(call: SendCall): Read {
  const single = (projectName: string) => call("getProjectAccess", { projectName });
  const each = (names: readonly string[]) =>
    Promise.all(names.map((name) => single(name).catch((error: Error) => error)));

  async function load(names: readonly string[]): Promise<readonly unknown[]> {
    if (names.length === 1) return each(names);
    try {
      const answer = reviewOperations.listAccess.result.parse(
        // Encoded here and once more in the query: the server decodes the value as a query, and then as an id.
        await call("listAccess", { project: names.map(encodeURIComponent) }),
      );
      return Promise.all(names.map((name) => accessOf(answer, name) ?? single(name).catch((error: Error) => error)));
    } catch (error) {
      if (error instanceof ProblemError && error.problems.every(({ code }) => noBulk.has(code))) return each(names);
      throw error;
    }
  }

  const loader = new DataLoader<string, unknown>(load, { maxBatchSize: largestBatch });
  return (args) => loader.load(String(args.projectName));
}

/** Servers differ in the key: the plain name, or the name as it stood in the query, encoded once. */
function accessOf(answer: Readonly<Record<string, ProjectAccess>>, name: string): ProjectAccess | undefined {
  return [encodeURIComponent(name), name].flatMap((key) => (Object.hasOwn(answer, key) ? [answer[key]] : []))[0];
}
