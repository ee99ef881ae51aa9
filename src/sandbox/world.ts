import { type Document, isNode, LineCounter, parseDocument } from "yaml";
import { z } from "zod";
import { type Problem, ProblemError } from "../core/problem.ts";
import type { Place } from "../core/resource.ts";
import { mistakesOf, named, unshown } from "../core/text/issues.ts";
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

/**
 * Parses a world from JSON (or YAML, of which JSON is a subset). Throws `ProblemError` with every error and its place in
 * `file`.
 */
export function parseWorld(text: string, file: string): World {
  const lines = new LineCounter();
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
  const world = World.safeParse(document.toJS());
  if (world.success) return world.data;
  throw new ProblemError(
    ...mistakesOf(unshown(document.toJS(), named("The world")), world.error.issues).map(
      ({ is, path, sentence }): Problem => ({
        code: codes[is],
        message: sentence,
        place: place(offsetOf(document, path)),
      }),
    ),
  );
}

const codes = { wrong: "SP1002", misnamed: "SP1002", missing: "SP1003", unknown: "SP1004" } as const;

/** Returns the offset of the value at `path`, or of its nearest existing parent. */
function offsetOf(document: Document.Parsed, path: readonly PropertyKey[]): number {
  const node: unknown = path.length === 0 ? document.contents : document.getIn(path, true);
  if (isNode(node)) return node.range?.[0] ?? 0;
  return path.length === 0 ? 0 : offsetOf(document, path.slice(0, -1));
}
