import { z } from "zod";

/** A read-only list. */
export function listOf<Entry extends z.ZodType>(entry: Entry) {
  return z.array(entry).readonly();
}

/** Read-only values by name. */
export function mapOf<Value extends z.ZodType>(value: Value) {
  return z.record(z.string(), value).readonly();
}

/** A read-only object with these members and no others. */
export function objectOf<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape).readonly();
}
