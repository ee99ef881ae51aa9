import { isObject, type Json, type JsonObject } from "./json.ts";
import type { Role } from "./resource.ts";

/** A list of a service that a document can be repeated over. */
export interface LiveList {
  /** The name in a manifest. */
  readonly operation: string;
  readonly role: Role;
  /** The name of the row in the client's table. */
  readonly row: string;
  /** Arguments that must be given, and those that may be. */
  readonly required: readonly string[];
  readonly optional: readonly string[];
  /** The field of an entry that patterns are held against. */
  readonly naturalName: string;
}

const plainList = { required: [], optional: [], naturalName: "name" } as const;

/** The lists, with what their rows are called. */
export const liveLists: readonly LiveList[] = [
  {
    ...plainList,
    operation: "listOrganizationRepositories",
    role: "hosting",
    row: "listOrganizationRepositories",
    required: ["org"],
    optional: ["type"],
  },
  {
    ...plainList,
    operation: "listUserRepositories",
    role: "hosting",
    row: "listUserRepositories",
    optional: ["type"],
  },
  { ...plainList, operation: "listProjects", role: "review", row: "listProjects" },
  { ...plainList, operation: "listProjects", role: "tracker", row: "listProjects", naturalName: "key" },
  { ...plainList, operation: "listProjects", role: "analysis", row: "projects" },
  { ...plainList, operation: "listRepositories", role: "artifacts", row: "listRepositories", naturalName: "key" },
];

/** Names that manifests use, each once. */
export const liveListNames: readonly string[] = [...new Set(liveLists.map(({ operation }) => operation))];

/** What is asked of a service. */
export interface LiveListRequest {
  readonly service: string;
  readonly list: LiveList;
  readonly args: JsonObject;
}

/** Reads a list. Throws `ProblemError` where the service cannot say. */
export type ReadLiveList = (request: LiveListRequest) => Promise<readonly JsonObject[]>;

/**
 * The entries of an answer, by their natural names: an array of records, or a dictionary whose keys are the names. Only
 * plain values of a record are kept.
 */
export function entriesOf({ naturalName }: LiveList, answer: unknown): readonly JsonObject[] {
  const records: readonly unknown[] = Array.isArray(answer)
    ? answer
    : Object.entries(isObject(answer) ? answer : {}).map(([name, record]) => ({
        ...(isObject(record) ? record : {}),
        [naturalName]: name,
      }));
  return records
    .filter(isObject)
    .map((record): JsonObject => Object.fromEntries(Object.entries(record).filter(isPlain)))
    .sort((a, b) => (String(a[naturalName]) < String(b[naturalName]) ? -1 : 1));
}

function isPlain(entry: [string, unknown]): entry is [string, Json] {
  return ["string", "number", "boolean"].includes(typeof entry[1]);
}
