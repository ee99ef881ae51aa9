import { z } from "zod";
import { RoleFlags } from "../../clients/analysis/records.ts";

const RoleFlag = z.object(RoleFlags).keyof();

/** The permissions of a role that are either on or off. */
export const roleFlags = RoleFlag.options;

const AnalysisRole = z.strictObject({
  name: z.string(),
  permissions: z.array(RoleFlag).default([]),
  /** `From,To` pairs separated by `;`. */
  allowed_status_transitions: z.string().default(""),
});
export type AnalysisRole = z.infer<typeof AnalysisRole>;

const AnalysisAssignment = z.strictObject({
  role: z.string(),
  /** Id of the project; without one the assignment is for all projects. */
  project: z.string().optional(),
  account: z.string(),
  group: z.boolean().default(false),
});

/** The id of the project that a record belongs to. */
const project = z.string();

const AnalysisProject = z.strictObject({
  id: z.string(),
  name: z.string(),
  creator: z.string().optional(),
  description: z.string().optional(),
  tags: z.array(z.string()).optional(),
});
export type AnalysisProject = z.infer<typeof AnalysisProject>;

const AnalysisBuild = z.strictObject({
  project,
  id: z.int(),
  name: z.string(),
  /** Milliseconds since 1970. */
  date: z.int(),
  keepit: z.boolean().default(false),
});
export type AnalysisBuild = z.infer<typeof AnalysisBuild>;

const AnalysisModule = z.strictObject({
  project,
  name: z.string(),
  allow_all: z.boolean().default(true),
  /** Patterns of paths. */
  paths: z.array(z.string()).default([]),
});

const AnalysisView = z.strictObject({
  project,
  id: z.int(),
  name: z.string(),
  query: z.string().default(""),
  creator: z.string().default(""),
  is_public: z.boolean().default(false),
  tags: z.array(z.string()).default([]),
});
export type AnalysisView = z.infer<typeof AnalysisView>;

const AnalysisTaxonomy = z.strictObject({ project, name: z.string(), is_custom: z.boolean().default(false) });

const AnalysisDefectType = z.strictObject({
  project,
  code: z.string(),
  name: z.string(),
  enabled: z.boolean().default(true),
  /** From 1, the worst. */
  severity: z.int().min(1),
});

const AnalysisIssue = z.strictObject({
  project,
  id: z.int(),
  code: z.string(),
  title: z.string(),
  message: z.string().default(""),
  severity: z.int().min(1),
  state: z.string().default("New"),
  status: z.string().default("Analyze"),
  owner: z.string().default("unowned"),
  file: z.string(),
  line: z.int().min(1).default(1),
  method: z.string().default(""),
  taxonomy: z.string().default("C and C++"),
  /** Milliseconds since 1970. */
  originated: z.int().default(0),
  /** Names of the builds that found it. */
  builds: z.array(z.string()),
  history: z
    .array(z.strictObject({ userid: z.string(), status: z.string(), comment: z.string(), owner: z.string() }))
    .default([]),
});
export type AnalysisIssue = z.infer<typeof AnalysisIssue>;

const AnalysisUser = z.strictObject({ name: z.string(), readonly: z.boolean().default(false) });
const AnalysisGroup = AnalysisUser.extend({ users: z.array(z.string()).default([]) });

const AnalysisMetric = z.strictObject({
  project,
  filePath: z.string(),
  /** What is measured: a function or a class; the file by default. */
  entity: z.string().optional(),
  tag: z.string(),
  metricValue: z.number(),
});

/** @see docs/facts.md, Analysis: licences by feature */
const AnalysisLicense = z.strictObject({
  feature: z.string(),
  version: z.string().default("24.1"),
  count: z.int(),
  permanent: z.boolean().default(false),
  days_to_expiry: z.int().default(365),
  servers: z.array(z.string()).default([]),
});

/** The static analysis server. */
export const AnalysisState = z
  .strictObject({
    /** HTTP status of every error, whatever status the error object has. @see docs/facts.md, analysis */
    errorStatus: z.int().min(200).max(599).default(400),
    version: z
      .strictObject({ majorVersion: z.string(), minorVersion: z.string() })
      .default({ majorVersion: "24", minorVersion: "1" }),
    licenses: z.array(AnalysisLicense).default([]),
    tasks: z.array(z.strictObject({ name: z.string(), status: z.string() })).default([]),
    /** Imports so far, of a project or of the server's configuration. */
    imports: z
      .array(z.strictObject({ project: z.string().optional(), source: z.string(), status: z.string() }))
      .default([]),
    /** The contents of servers from which a configuration can be imported, by URL; all other servers are empty. */
    sources: z
      .record(
        z.string(),
        z.strictObject({
          users: z.array(AnalysisUser).default([]),
          groups: z.array(AnalysisGroup).default([]),
          roles: z.array(AnalysisRole).default([]),
        }),
      )
      .default({}),
    churns: z.array(z.strictObject({ component: z.string(), file: z.string(), changes: z.int() })).default([]),
    projects: z.array(AnalysisProject).default([]),
    builds: z.array(AnalysisBuild).default([]),
    modules: z.array(AnalysisModule).default([]),
    views: z.array(AnalysisView).default([]),
    taxonomies: z.array(AnalysisTaxonomy).default([]),
    defectTypes: z.array(AnalysisDefectType).default([]),
    issues: z.array(AnalysisIssue).default([]),
    metrics: z.array(AnalysisMetric).default([]),
    users: z.array(AnalysisUser).default([]),
    groups: z.array(AnalysisGroup).default([]),
    roles: z.array(AnalysisRole).default([]),
    assignments: z.array(AnalysisAssignment).default([]),
  })
  .prefault({});
export type AnalysisState = z.infer<typeof AnalysisState>;
