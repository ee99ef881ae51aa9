import { z } from "zod";

/** A time in UTC, as JSON has it. */
export const Moment = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  .refine((text) => !Number.isNaN(Date.parse(text)), "expected a time");
