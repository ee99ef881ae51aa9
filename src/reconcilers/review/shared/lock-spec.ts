import { z } from "zod";

/** Permissions of a branch that a lock can block. */
export const lockable = ["submit", "push", "pushMerge", "create", "delete", "rebase", "revert"] as const;

/** What a lock states. */
export const BranchLock = z
  .strictObject({
    project: z.string().min(1).describe("Name of the project."),
    branch: z
      .string()
      .min(1)
      .refine((branch) => !branch.startsWith("refs/"), "expected the name of a branch without refs/heads/")
      .refine((branch) => branch.startsWith("^") === branch.endsWith("$"), "expected a name, or ^a regular expression$")
      .describe("Name of the branch without `refs/heads/`, or a regular expression between `^` and `$`."),
    permissions: z
      .array(z.enum(lockable))
      .min(1)
      .default(["submit", "push", "pushMerge"])
      .describe("What is blocked on the branch."),
    reviewUploads: z.boolean().default(true).describe("Whether uploads for review to the branch are blocked too."),
    groups: z
      .array(z.string().min(1))
      .min(1)
      .default(["global:Registered-Users"])
      .describe("Who is locked out: names or UUIDs of groups."),
    exclusive: z.boolean().default(true).describe("Whether the rules of wider patterns stop to apply."),
    force: z.boolean().default(false).describe("Whether `push` blocks forced pushes only."),
    moveOpenChangesTo: z
      .string()
      .min(1)
      .refine((branch) => !/^(?:refs\/|\^)/.test(branch), "expected the name of a branch without refs/heads/")
      .optional()
      .describe("Branch that the open changes of the locked branch are moved to; they lose their votes."),
    reason: z.string().min(1).optional().describe("Why; written into the history of the project's configuration."),
  })
  .superRefine(({ branch, moveOpenChangesTo }, context) => {
    const refuse = (message: string) => context.addIssue({ code: "custom", path: ["moveOpenChangesTo"], message });
    if (moveOpenChangesTo !== undefined && branch.startsWith("^"))
      refuse("expected `branch` to be a name: changes of a regular expression's branches are not moved");
    if (moveOpenChangesTo === branch) refuse("expected another branch than the locked one");
  });
export type BranchLock = z.infer<typeof BranchLock>;
