import { z } from "zod";
import type { Reader } from "../../core/operation.ts";
import { read, write } from "../table.ts";
import { AccessSections, joinAccess, ProjectAccess } from "./access.ts";
import { changeOperations } from "./changes.ts";
import { projectPages } from "./paging.ts";
import { ProjectConfigRecord, ProjectsRecord } from "./records.ts";

/** Operations of the code review service (Gerrit). @see docs/api/review.md */
export const reviewOperations = {
  ...changeOperations,
  getServerVersion: read({
    summary: "The version of the server.",
    method: "GET",
    path: "/a/config/server/version",
    args: z.object({}),
    result: z.string().min(1),
    ext: "docs/decisions/versions.md: the product's own reference",
  }),
  listProjects: read({
    summary: "Projects with their descriptions; all pages of `n` projects, from the `S`th on.",
    method: "GET",
    path: "/a/projects/?d",
    query: ["n", "S"],
    args: z.object({ n: z.int().positive().optional(), S: z.int().min(0).optional() }),
    result: ProjectsRecord,
    paging: projectPages,
  }),
  getProjectConfig: read({
    summary: "The settings of a project, with what it inherits.",
    method: "GET",
    path: "/a/projects/{project-name}/config",
    args: z.object({ projectName: z.string() }),
    result: ProjectConfigRecord,
  }),
  getProjectAccess: read({
    summary: "The access rules of a project, without inherited ones.",
    method: "GET",
    path: "/a/projects/{project-name}/access",
    args: z.object({ projectName: z.string() }),
    result: ProjectAccess,
  }),
  listAccess: read({
    summary: "The access rules of several projects at once.",
    method: "GET",
    path: "/a/access/?project",
    args: z.object({ project: z.array(z.string()) }),
    result: z.record(z.string(), ProjectAccess),
    ext: "docs/facts.md, review: many projects in one call",
  }),
  modifyProjectAccess: write({
    summary: "Removes and then adds access rules of a project, in one commit of its configuration.",
    method: "POST",
    path: "/a/projects/{project-name}/access",
    body: "json",
    repeatable: false,
    args: z.object({
      projectName: z.string(),
      remove: AccessSections.optional(),
      add: AccessSections.optional(),
      message: z.string().optional(),
    }),
    result: ProjectAccess,
    merge: { object: (args) => args.projectName, join: joinAccess },
  }),
} as const;
export type ReviewOperations = typeof reviewOperations;

/** The reading half of the code review client. */
export type ReviewReader = Reader<ReviewOperations>;
