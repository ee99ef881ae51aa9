import { z } from "zod";
import { isObject, sameJson } from "../../core/text/json.ts";
import { withUnclear } from "../unclear.ts";

/**
 * Records of the static analysis server: those of roles are in `access-records.ts`. Each accepts the spellings seen in use
 * (docs/facts.md, analysis) and returns one. The shapes of those without a source are unconfirmed.
 */

/** Ids are numbers or strings. A number that JSON does not read exactly is not an id. */
export const Id = z.union([z.string(), z.int()]);

/** A comma list with `\,` for a comma in a name, or a list. @see docs/facts.md, analysis */
const Names = z.preprocess(
  (value) => (typeof value === "string" ? splitNames(value) : value),
  z.array(z.preprocess((value) => (value instanceof Object && "name" in value ? value.name : value), z.string())),
);

/** Splits a comma list; a backslash makes the next character literal. */
function splitNames(list: string): readonly string[] {
  if (list === "") return [];
  const names = [""];
  for (const [, escaped, plain] of list.matchAll(/\\(.)|([\s\S])/g)) {
    if (plain === ",") names.push("");
    else names.push((names.pop() ?? "") + (escaped ?? plain ?? ""));
  }
  return names;
}

/** Writes a comma list; the inverse of `splitNames` for names that are not empty. */
function joinNames(names: readonly string[]): string {
  return names.map((name) => name.replace(/[\\,]/g, "\\$&")).join(",");
}

/** Names as an argument: a list, or the comma list that is sent. */
export const NameList = z.union([z.string(), z.array(z.string()).transform(joinNames)]);

/** Status transitions as an argument: a list, or the `From,To` pairs separated by `;` that are sent. */
export const TransitionList = z.union([
  z.string(),
  z
    .array(z.object({ from: z.string(), to: z.string() }))
    .transform((transitions) => transitions.map(({ from, to }) => `${from},${to}`).join(";")),
]);

/** The pattern by which users and groups are searched. */
export const NameFilter = z.string().optional().describe("The name, in which `*` stands for any text.");

/** The mark of an argument that only the product has. */
export const beyond = { ext: "docs/facts.md, analysis: more parameters than the document has" };

const productFlag = z.boolean().optional().meta(beyond);

/** What a role may do, in records and as arguments. @see docs/facts.md, analysis: more parameters than the document */
export const RoleFlags = {
  create_project: z.boolean().optional(),
  manage_roles: z.boolean().optional(),
  change_issue_status: z.boolean().optional(),
  manage_users: productFlag,
  access_source_files: productFlag,
  assign_role: productFlag,
  change_project_settings: productFlag,
  create_build: productFlag,
  delete_build: productFlag,
  delete_project: productFlag,
  manage_modules: productFlag,
  use_local_configuration: productFlag,
  webapi_access: productFlag,
  execute_kwxsync: productFlag,
  create_stream: productFlag,
  delete_stream: productFlag,
};

/**
 * Puts a member that has two names under one of them. If both are present and differ, it becomes a list, which no schema
 * accepts.
 */
export function underOneName(value: unknown, name: string, other: string): unknown {
  if (!isObject(value) || value[other] == null) return value;
  const { [name]: one, [other]: two, ...rest } = value;
  return { ...rest, [name]: one == null || sameJson(one, two) ? two : [one, two] };
}

/** @see docs/facts.md, Analysis: records of roles, users and groups */
export const UserRecord = z.object({ name: z.string(), readonly: z.boolean().optional() });

/** Members are listed only with `list_users=true`. */
export const GroupRecord = withUnclear(
  z.object({ name: z.string(), readonly: z.boolean().optional(), users: Names.optional() }),
);

/** @see docs/facts.md, analysis: seen as `{id,name,creator,description?,tags?}` */
export const ProjectRecord = z.object({
  id: Id,
  name: z.string(),
  creator: z.string().optional(),
  description: z.string().optional(),
  tags: Names.optional(),
});
export type ProjectRecord = z.infer<typeof ProjectRecord>;

/** `date` in milliseconds since 1970; a build with `keepit` is never deleted by the server. */
export const BuildRecord = z.object({ id: z.int(), name: z.string(), date: z.int(), keepit: z.boolean() });
export type BuildRecord = z.infer<typeof BuildRecord>;

/** @see docs/facts.md, analysis: seen as `{name,creator,id,query,is_public,tags?}` */
export const ViewRecord = z.object({
  name: z.string(),
  id: Id.optional(),
  query: z.string().optional(),
  creator: z.string().optional(),
  is_public: z.boolean().optional(),
  tags: Names.optional(),
});
export type ViewRecord = z.infer<typeof ViewRecord>;

/** @see docs/facts.md, analysis: seen as `{name,paths}` */
export const ModuleRecord = z.preprocess(
  (value) => underOneName(value, "allow_all", "allowAll"),
  withUnclear(z.object({ name: z.string(), paths: Names.optional(), allow_all: z.boolean().optional() })),
);
export type ModuleRecord = z.infer<typeof ModuleRecord>;

/** @see docs/facts.md, analysis: seen as `{name,is_custom}` */
export const TaxonomyRecord = z.object({ name: z.string(), is_custom: z.boolean().optional() });

export const DefectTypeRecord = z.looseObject({
  code: z.string(),
  name: z.string().optional(),
  enabled: z.boolean().optional(),
  severity: z.number().optional(),
});
export type DefectTypeRecord = z.infer<typeof DefectTypeRecord>;

/** An issue; `status` is text, unlike that of an error. @see docs/facts.md, analysis */
export const IssueRecord = z.looseObject({
  id: Id,
  code: z.string().optional(),
  status: z.string().optional(),
  state: z.string().optional(),
  severityCode: z.int().optional(),
  title: z.string().optional(),
  message: z.string().optional(),
  file: z.string().optional(),
  method: z.string().optional(),
  owner: z.string().optional(),
});
export type IssueRecord = z.infer<typeof IssueRecord>;

/** A record of a search: an issue, or the summary, which has no id and has an unconfirmed shape. */
export const SearchRecord = z.union([IssueRecord, z.looseObject({ id: z.undefined().optional() })]);

/** How many licences of a feature the server has. @see docs/facts.md, Analysis: licences by feature */
export const LicenseRecord = z.looseObject({
  feature: z.string().optional(),
  count: z.number().optional(),
  permanent: z.boolean().optional(),
  days_to_expiry: z.number().optional(),
});
export type LicenseRecord = z.infer<typeof LicenseRecord>;

export const TaskRecord = z.looseObject({ name: z.string().optional(), status: z.string().optional() });

export const VersionRecord = z.looseObject({ majorVersion: Id.optional(), minorVersion: Id.optional() });

export const ImportRecord = z.looseObject({ project: z.string().optional(), status: z.string().optional() });
export type ImportRecord = z.infer<typeof ImportRecord>;

export const ProjectConfigurationRecord = z.looseObject({ build: z.string().optional() });

export const ChurnRecord = z.looseObject({ file: z.string().optional() });

export const MetricRecord = z.looseObject({
  filePath: z.string().optional(),
  tag: z.string().optional(),
  metricValue: z.number().optional(),
});

const ReportAxis = z.array(z.looseObject({ name: z.string().optional() }));

/** A table of numbers: one list of `data` for each row, one number for each column. */
export const ReportRecord = z.looseObject({
  rows: ReportAxis.optional(),
  columns: ReportAxis.optional(),
  data: z.array(z.array(z.number())).optional(),
});

/** Another server, and the account with which an import reads it. */
export const Source = { sourceURL: z.string(), sourceAdmin: z.string(), sourcePassword: z.string().optional() };
