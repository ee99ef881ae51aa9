import type { z } from "zod";
import { describeIssues } from "../core/text/issues.ts";
import { jsonIn } from "../core/text/json-text.ts";
import type { Asked, ServiceRequest } from "./exchange.ts";
import { notModelled, Refusal } from "./refusal.ts";

/** Returns the media type of a request's body in lower case, without parameters; empty if there is none. */
export function mediaType(request: ServiceRequest): string {
  return (request.headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

/** Reads a JSON body. Throws `Refusal`: 415 for another media type; that of `refuse` (400) for a body that does not fit. */
export function readJsonBody<Schema extends z.ZodType>(
  request: ServiceRequest,
  schema: Schema,
  refuse = (mistake: string) => new Refusal(400, mistake),
): z.output<Schema> {
  if (mediaType(request) !== "application/json") throw new Refusal(415);
  const body = jsonIn(request.body);
  const input = schema.safeParse(body);
  if (input.success) return input.data;
  throw refuse(describeIssues(input.error.issues, body, "the body"));
}

/** Reads a query argument that must be one of `values`; undefined if it is omitted. Throws `Refusal` 501 for other values. */
export function choiceIn<V extends string>({ query }: Asked, name: string, values: readonly V[]): V | undefined {
  const text = query.get(name);
  const value = values.find((known) => known === text);
  if (text !== null && value === undefined) throw notModelled(`${name}=${text}, only ${values.join(" and ")}`);
  return value;
}

/** Reads an integer argument of the query; returns `unless` if it is omitted. */
export function countIn({ query }: Asked, name: string, unless: number, refuse: (text: string) => Refusal): number {
  const text = query.get(name);
  if (text === null) return unless;
  if (!/^\d+$/.test(text)) throw refuse(text);
  return Number(text);
}
