import { z } from "zod";
import { listOf, objectOf } from "../readonly.ts";

/** What a plan was compared with, and what happened to the manifests since. */
export const Basis = objectOf({
  ref: z.string().describe("The git ref that was read."),
  commit: z.string().describe("The commit that it named."),
  at: z.string().describe("When the commit was made (ISO 8601)."),
  age: z.string().describe("How long ago that was, such as `3 days`."),
  relation: z
    .enum(["before", "apart", "unknown"])
    .describe(
      "`before`: HEAD comes from it. `apart`: it does not, for example after going back to an older commit. `unknown`: the clone is too shallow to tell.",
    ),
  commits: z.int().describe("Commits of the workspace's folder since then."),
  subjects: listOf(z.string()).describe("Their subjects, the newest first; the first ten."),
});
export type Basis = z.infer<typeof Basis>;
