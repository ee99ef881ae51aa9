import { z } from "zod";
import { objectOf } from "./readonly.ts";

/** A day of the calendar. */
export const Day = z
  .string()
  .regex(/^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/, { abort: true, error: "expected a day such as 2027-03-31" })
  .refine((text) => new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text), "expected a day that the month has");

/** A difference that someone has seen and leaves alone until a given day. */
export const Acknowledgement = objectOf({
  fields: z
    .array(z.string())
    .min(1)
    .readonly()
    .exactOptional()
    .describe("Top-level fields of the specification; left out for the whole resource, including its absence."),
  until: Day.describe("The last day, in UTC, on which a difference is left alone."),
  reason: z.string().min(1).describe("Why it is left alone, for readers."),
  by: z.string().exactOptional().describe("Who says so."),
});
export type Acknowledgement = z.infer<typeof Acknowledgement>;

/** Whether an acknowledgement is still in effect at a moment. Its last day is included. */
export function holdsAt({ until }: Pick<Acknowledgement, "until">, now: Date): boolean {
  return now.toISOString().slice(0, 10) <= until;
}

/** The name under which a plan lists, beside the fields of a resource, that it exists or does not. */
export const existence = "*";
