import { z } from "zod";
import { describeIssues } from "../../core/issues.ts";
import type { ServiceRequest } from "../exchange.ts";
import { Refusal } from "../refusal.ts";
import { mediaType } from "../request.ts";

/** A boolean field: `true` or `false` and nothing else. */
export const FlagField = z.enum(["true", "false"]).transform((text) => text === "true");

/** A number field: digits. */
export const CountField = z.string().regex(/^\d+$/, "expected a number").transform(Number);

/** A comma list field; a backslash escapes the next character. */
export const NamesField = z
  .string()
  .transform((list) => (list.match(/(?:\\[\s\S]|[^,\\])+/g) ?? []).map((name) => name.replace(/\\([\s\S])/g, "$1")));

/** A request's form fields; none if the body is not a form. */
export function formFields(request: ServiceRequest): URLSearchParams {
  return new URLSearchParams(mediaType(request) === "application/x-www-form-urlencoded" ? request.body : "");
}

/** An action's fields. Throws `Refusal` 400 for a field that is missing or of another form; unknown ones are ignored. */
export function readForm<Fields extends z.ZodRawShape>(
  request: ServiceRequest,
  fields: Fields,
): z.output<z.ZodObject<Fields>> {
  const form = Object.fromEntries(formFields(request));
  const read = z.object(fields).safeParse(form);
  if (read.success) return read.data;
  throw new Refusal(400, `Invalid parameters: ${describeIssues(read.error.issues, form, "the form")}`);
}

/** The field `name`. */
export function readName(request: ServiceRequest): string {
  return readForm(request, { name: z.string() }).name;
}
