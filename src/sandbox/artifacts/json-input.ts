import type { z } from "zod";
import { describeIssues } from "../../core/issues.ts";
import type { ServiceRequest } from "../exchange.ts";
import { jsonBody, mediaType } from "../json-body.ts";
import { Refusal } from "../refusal.ts";

/** A request's JSON body. Throws `Refusal`: 415 for another media type, 400 for a body that does not fit. */
export function readJson<Schema extends z.ZodType>(request: ServiceRequest, schema: Schema): z.output<Schema> {
  if (mediaType(request) !== "application/json") throw new Refusal(415, "Unsupported Media Type");
  const input = schema.safeParse(jsonBody(request)?.json);
  if (input.success) return input.data;
  throw new Refusal(400, describeIssues(input.error.issues, jsonBody(request)?.json, "the body"));
}
