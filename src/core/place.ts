import { z } from "zod";

/** A place in a file. */
export const Place = z
  .strictObject({
    file: z.string().describe("Path relative to the workspace."),
    line: z.int().describe("Counts from 1."),
    column: z.int().describe("Counts from 1."),
    length: z.int().exactOptional().describe("Characters that the problem is about."),
    excerpt: z.array(z.string()).readonly().exactOptional().describe("Lines, the last one being `line` itself."),
  })
  .readonly();
export type Place = z.infer<typeof Place>;
