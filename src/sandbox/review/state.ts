import { z } from "zod";
import { own } from "../../core/text/json.ts";
import { ReviewChange } from "./change-state.ts";

/** What a rule does, in the order in which the service stores the rules of a permission. */
export const RuleAction = z.enum(["DENY", "ALLOW", "BLOCK", "INTERACTIVE", "BATCH"]);

export const ReviewRule = z.strictObject({
  /** UUID of the group. */
  group: z.string(),
  action: RuleAction.default("ALLOW"),
  force: z.boolean().default(false),
  min: z.int().optional(),
  max: z.int().optional(),
});
export type ReviewRule = z.infer<typeof ReviewRule>;

/** A permission. A group can have several rules: they are the lines of the project's configuration, in its order. */
const ReviewPermission = z.strictObject({ exclusive: z.boolean().default(false), rules: z.array(ReviewRule) });
export type ReviewPermission = z.infer<typeof ReviewPermission>;

/** Permissions by name, for each ref pattern. */
const ReviewAccess = z.record(z.string(), z.record(z.string(), ReviewPermission));
export type ReviewAccess = z.infer<typeof ReviewAccess>;

const ReviewGroup = z.strictObject({ uuid: z.string(), name: z.string(), number: z.int().optional() });
export type ReviewGroup = z.infer<typeof ReviewGroup>;

/** The group of all who are signed in. */
export const registeredUsers = "global:Registered-Users";

/** The groups that every server has. */
export const systemGroups = [
  { uuid: registeredUsers, name: "Registered Users" },
  { uuid: "global:Anonymous-Users", name: "Anonymous Users" },
  { uuid: "global:Project-Owners", name: "Project Owners" },
  { uuid: "global:Change-Owner", name: "Change Owner" },
];

const ReviewProject = z.strictObject({
  description: z.string().optional(),
  parent: z.string().optional(),
  state: z.enum(["ACTIVE", "READ_ONLY", "HIDDEN"]).default("ACTIVE"),
  /** Names without `refs/heads/`; by default one branch, `master`. */
  branches: z.array(z.string()).optional(),
  /** The project's own submit type; inherited if omitted. */
  submitType: z.string().optional(),
  access: ReviewAccess.default({}),
  /** Commits of the project's configuration that were made through the service, oldest first. */
  commits: z
    .array(
      z.strictObject({
        message: z.string(),
        author: z.string(),
        date: z.iso.datetime().default("2026-01-01T00:00:00Z"),
      }),
    )
    .default([]),
});
export type ReviewProject = z.infer<typeof ReviewProject>;

type Projects = Record<string, ReviewProject>;

export function branchesOf({ branches = ["master"] }: ReviewProject): readonly string[] {
  return branches;
}

/** Returns the names of a project and of all projects that it inherits from, the nearest first. */
export function lineOf(projects: Readonly<Projects>, name: string): readonly string[] {
  const line: string[] = [];
  for (let next: string | undefined = name; next !== undefined && !line.includes(next); ) {
    line.push(next);
    next = own(projects, next)?.parent;
  }
  return line;
}

/** The root of all projects, which always exists. */
export const rootProject = "All-Projects";

/** Projects by name, always with the root, from which a project without a parent inherits. */
const ReviewProjects = z.record(z.string(), ReviewProject).transform(
  (projects): Projects => ({
    [rootProject]: ReviewProject.parse({}),
    ...Object.fromEntries(
      Object.entries(projects).map(([name, project]) => [
        name,
        name === rootProject ? project : { ...project, parent: project.parent ?? rootProject },
      ]),
    ),
  }),
);

/** The code review service: its groups and changes, and its projects by name. */
export const ReviewState = z
  .strictObject({
    version: z.string().default("3.10.4"),
    /** Whether configurations can be changed only through review. */
    requireChange: z.boolean().default(false),
    groups: z.array(ReviewGroup).default(systemGroups),
    projects: ReviewProjects.prefault({}),
    changes: z.array(ReviewChange).default([]),
  })
  .superRefine(({ projects, changes }, context) => {
    for (const [name, { parent }] of Object.entries(projects)) {
      const path = ["projects", name, "parent"];
      const top = lineOf(projects, name).at(-1) ?? "";
      if (parent !== undefined && !Object.hasOwn(projects, parent))
        context.addIssue({ code: "custom", path, message: "names no project" });
      else if (own(projects, top)?.parent === name)
        context.addIssue({ code: "custom", path, message: "inherits from the project itself" });
    }
    for (const [index, { project }] of changes.entries())
      if (!Object.hasOwn(projects, project))
        context.addIssue({ code: "custom", path: ["changes", index, "project"], message: "names no project" });
  })
  .prefault({});
export type ReviewState = z.infer<typeof ReviewState>;
