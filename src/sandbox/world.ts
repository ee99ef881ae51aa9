import { type Document, isNode, LineCounter, parseDocument } from "yaml";
import { z } from "zod";
import { type Problem, ProblemError } from "../core/problem.ts";
import type { Place } from "../core/resource.ts";
import { mistakesOf, named, unshown } from "../core/text/issues.ts";
import { readJson, tooDeep } from "../core/text/json-text.ts";
import { Account } from "./accounts.ts";
import { areDistinct } from "./lists.ts";
import { states } from "./services.ts";

const Services = z.strictObject(states);

/** The roles of the services that a sandbox has. */
export const SandboxRole = Services.keyof();
export type SandboxRole = z.infer<typeof SandboxRole>;

/** The state of all services of a sandbox, as plain data. An omitted service is empty. */
export const World = Services.extend({
  accounts: z
    .array(Account)
    .min(1)
    .refine((accounts) => areDistinct(accounts, "username", "secret"), "two accounts have one username or one secret"),
});
export type World = z.infer<typeof World>;

/** Parses a world from JSON. Throws `ProblemError` with every error and its place in `file`. */
export function parseWorld(text: string, file: string): World {
  const read = readJson(text);
  if (read.is !== "read") {
    const [line, column] = (read.is === "not JSON" && read.at) || [1, 1];
    const why = read.is === "too deep" ? ({ code: "SP1011", message: `The world is ${tooDeep}.` } as const) : notJson;
    throw new ProblemError({ ...why, place: { file, line, column } });
  }
  const lines = new LineCounter();
  // JSON is YAML, whose parser knows the place of each value.
  const document = parseDocument(text, { lineCounter: lines });
  const place = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { file, line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  if (document.errors.length > 0)
    throw new ProblemError(
      ...document.errors.map(
        ({ code, message, pos }): Problem => ({
          code: code === "DUPLICATE_KEY" ? "SP1005" : "SP1001",
          message: message.split("\n", 1)[0] ?? "",
          place: place(pos[0]),
        }),
      ),
    );
  const world = World.safeParse(read.value);
  if (world.success) return world.data;
  throw new ProblemError(
    ...mistakesOf(unshown(read.value, named("The world")), world.error.issues).map(
      ({ is, path, sentence }): Problem => ({
        code: codes[is],
        message: sentence,
        place: place(offsetOf(document, path)),
      }),
    ),
  );
}

const notJson = { code: "SP1001", message: "The world is not JSON." } as const;
const codes = { wrong: "SP1002", misnamed: "SP1002", missing: "SP1003", unknown: "SP1004" } as const;

/** Returns the offset of the value at `path`, or of its nearest existing parent. */
function offsetOf(document: Document.Parsed, path: readonly PropertyKey[]): number {
  const node: unknown = path.length === 0 ? document.contents : document.getIn(path, true);
  if (isNode(node)) return node.range?.[0] ?? 0;
  return path.length === 0 ? 0 : offsetOf(document, path.slice(0, -1));
}
