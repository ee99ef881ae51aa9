import { z } from "zod";

/** A list that nobody changes. */
export function listOf<Entry extends z.ZodType>(entry: Entry) {
  return z.array(entry).readonly();
}

/** Values by name that nobody changes. */
export function mapOf<Value extends z.ZodType>(value: Value) {
  return z.record(z.string(), value).readonly();
}

/** An object of these members and no others, that nobody changes. */
export function objectOf<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape).readonly();
}
