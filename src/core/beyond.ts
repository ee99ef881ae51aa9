import { z } from "zod";
import type { Operation } from "./operation.ts";
import type { Problem } from "./problem.ts";
import type { JsonObject } from "./text/json.ts";

/** The arguments that the API documents lack, each with the fact that justifies it: those marked `.meta({ ext })`. */
export function argumentsBeyond({ args }: Pick<Operation, "args">): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(args.shape).flatMap(([name, schema]) => {
      const ext = extOf(schema);
      return ext === undefined ? [] : [[name, ext] as const];
    }),
  );
}

/** The `ext` mark of a schema, or of the schema that it makes optional. */
function extOf(schema: z.core.$ZodType): string | undefined {
  const { ext } = z.globalRegistry.get(schema) ?? {};
  if (typeof ext === "string") return ext;
  return schema instanceof z.ZodOptional ? extOf(schema.unwrap()) : undefined;
}

/** A fact in words, for users, who might not have the page that it cites. */
export function withoutPage(fact: string): string {
  return fact.replace(/^docs\/[^:]+: /, "");
}

/** What a call uses that the API documents lack: the operation itself, or an argument that the call states. */
export function beyondDocuments(
  name: string,
  operation: Pick<Operation, "args" | "ext">,
  args: JsonObject,
): { readonly what: string; readonly ext: string } | undefined {
  if (operation.ext !== undefined) return { what: name, ext: operation.ext };
  const [first] = [...argumentsBeyond(operation)].filter(([argument]) => args[argument] !== undefined);
  return first === undefined ? undefined : { what: `${first[0]} of ${name}`, ext: first[1] };
}

/** Returns why a call is not sent under `wire: documented`; undefined if it is sent. */
export function beyondProblem(...call: Parameters<typeof beyondDocuments>): Problem | undefined {
  const beyond = beyondDocuments(...call);
  return (
    beyond && {
      code: "SP3007",
      message: `${beyond.what} is not in the service's API documents, so it is not sent under wire: documented.`,
      hint: `Set wire: product if the service is the product (${withoutPage(beyond.ext)}).`,
    }
  );
}
