import { z } from "zod";

/** What a hosting service keeps of a repository, as its API says it, and what the token of a job may do. */
export const Kept = z.strictObject({
  repository: z.string(),
  permissions: z.record(z.string(), z.string()),
  pulls: z.array(z.strictObject({ merge_commit_sha: z.string(), head: z.strictObject({ sha: z.string() }) })),
  runs: z.array(
    z.strictObject({
      id: z.int(),
      path: z.string(),
      event: z.string(),
      head_branch: z.string(),
      head_sha: z.string(),
      conclusion: z.string(),
    }),
  ),
  artifacts: z.array(z.strictObject({ run: z.int(), name: z.string(), folder: z.string() })),
});
export type Kept = z.infer<typeof Kept>;
