import type { z } from "zod";
import { jsonIn } from "../../core/text/json-text.ts";
import type { ServiceRequest } from "../exchange.ts";
import { Refusal } from "../refusal.ts";
import { mediaType } from "../request.ts";

/**
 * Reads the JSON object that a request sends; without a body it is empty. Some inputs have one field whose string can be
 * sent instead of the object. Unknown fields are silently ignored. Throws `Refusal`: 400 for an invalid object, 500 for
 * null, on which the real server fails.
 */
export function readInput<Input extends z.ZodType>(
  request: ServiceRequest,
  schema: Input,
  loneField?: string,
): z.output<Input> {
  const json = inputJson(request);
  if (typeof json === "string" && loneField === undefined) throw new Refusal(400, "Expected JSON object");
  const input = schema.safeParse(typeof json === "string" ? { [loneField ?? ""]: json } : json);
  if (!input.success) throw new Refusal(400, "Invalid application/json in request");
  return input.data;
}

function inputJson(request: ServiceRequest): unknown {
  const type = mediaType(request);
  if (type === "" && request.body === "") return {};
  // The real server reads a form's fields instead of the body, and none of them is a field of an input.
  if (type === "application/x-www-form-urlencoded") return {};
  if (type === "text/plain") return request.body;
  if (type !== "application/json") throw new Refusal(400, "Expected Content-Type: application/json");
  if (request.body.trim() === "") throw new Refusal(400, "Expected JSON object");
  const body = jsonIn(request.body);
  if (body === null) throw new Refusal(500);
  return body;
}
