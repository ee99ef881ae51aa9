import { z } from "zod";

/**
 * Records of the static analysis server. The shapes of roles, role assignments and groups are unconfirmed
 * (docs/facts.md, analysis), so each accepts the spellings seen in use and returns one.
 */

/** Ids come as numbers or as text. */
const Id = z.union([z.string(), z.number()]);

/** `'From,To'` pairs separated by `;`, or a list of pairs. */
const Transitions = z.preprocess(
  (value) =>
    typeof value === "string"
      ? value
          .split(";")
          .filter((pair) => pair.trim() !== "")
          .map((pair) => {
            const [from, to] = pair.split(",", 2).map((part) => part.trim());
            return { from, to };
          })
      : value,
  z.array(z.object({ from: z.string(), to: z.string() })),
);

/** A comma list with `\,` for a comma in a name, or a list. @see docs/facts.md, analysis */
const Names = z.preprocess(
  (value) => (typeof value === "string" ? splitNames(value) : value),
  z.array(z.preprocess((value) => (value instanceof Object && "name" in value ? value.name : value), z.string())),
);

/** Takes a comma list apart; a backslash makes the next character stand for itself. */
function splitNames(list: string): readonly string[] {
  if (list === "") return [];
  const names = [""];
  for (const [, escaped, plain] of list.matchAll(/\\(.)|([\s\S])/g)) {
    if (escaped === undefined && plain === ",") names.push("");
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

/** What a role may do, in records and as arguments. @see docs/facts.md, analysis: more parameters than the document */
export const RoleFlags = {
  create_project: z.boolean().optional(),
  manage_roles: z.boolean().optional(),
  change_issue_status: z.boolean().optional(),
  manage_users: z.boolean().optional(),
  access_source_files: z.boolean().optional(),
  assign_role: z.boolean().optional(),
  change_project_settings: z.boolean().optional(),
  create_build: z.boolean().optional(),
  delete_build: z.boolean().optional(),
  delete_project: z.boolean().optional(),
  manage_modules: z.boolean().optional(),
  use_local_configuration: z.boolean().optional(),
  webapi_access: z.boolean().optional(),
};

/** Flags of a role are in the record itself or under `permissions`, as an object or a list of names or objects. */
export const RoleRecord = z.preprocess(
  (value) => {
    if (!(value instanceof Object) || !("permissions" in value)) return value;
    const { permissions, ...rest } = value;
    const listed = Array.isArray(permissions) ? permissions : [permissions];
    return Object.assign(
      rest,
      ...listed.map((entry: unknown) => (typeof entry === "string" ? { [entry]: true } : entry)),
    );
  },
  z.object({
    name: z.string(),
    ...RoleFlags,
    allowed_status_transitions: Transitions.optional(),
  }),
);
export type RoleRecord = z.infer<typeof RoleRecord>;

/** Who has which role where. Without a project the assignment is for all projects. */
export const RoleAssignmentRecord = z.preprocess(
  (value) =>
    value instanceof Object && "role" in value && !("name" in value) ? { ...value, name: value.role } : value,
  z.object({
    name: z.string(),
    project: z.string().nullish(),
    project_id: Id.nullish(),
    account: z.string(),
    group: z.boolean().default(false),
  }),
);
export type RoleAssignmentRecord = z.infer<typeof RoleAssignmentRecord>;

/** @see docs/facts.md, analysis: seen as `{name,readonly,roles,groups}` */
export const UserRecord = z.object({ name: z.string(), readonly: z.boolean().optional() });
export type UserRecord = z.infer<typeof UserRecord>;

/** Members are listed only with `list_users=true`. */
export const GroupRecord = z.object({ name: z.string(), readonly: z.boolean().optional(), users: Names.optional() });
export type GroupRecord = z.infer<typeof GroupRecord>;

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
export const BuildRecord = z.object({
  id: z.int(),
  name: z.string(),
  date: z.int(),
  keepit: z.boolean(),
});
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
export const ModuleRecord = z.object({ name: z.string(), paths: Names.optional(), allow_all: z.boolean().optional() });
export type ModuleRecord = z.infer<typeof ModuleRecord>;

/** @see docs/facts.md, analysis: seen as `{name,is_custom}` */
export const TaxonomyRecord = z.object({ name: z.string(), is_custom: z.boolean().optional() });
export type TaxonomyRecord = z.infer<typeof TaxonomyRecord>;

/** Shape unconfirmed. */
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

/** Numbers of licences; shape unconfirmed. */
export const LicenseRecord = z.looseObject({
  feature: z.string().optional(),
  total: z.number().optional(),
  used: z.number().optional(),
});
export type LicenseRecord = z.infer<typeof LicenseRecord>;

/** Shape unconfirmed. */
export const TaskRecord = z.looseObject({ name: z.string().optional(), status: z.string().optional() });

/** Shape unconfirmed. */
export const VersionRecord = z.looseObject({ majorVersion: Id.optional(), minorVersion: Id.optional() });

/** Shape unconfirmed. */
export const ImportRecord = z.looseObject({ project: z.string().optional(), status: z.string().optional() });
export type ImportRecord = z.infer<typeof ImportRecord>;

/** Shape unconfirmed. */
export const ProjectConfigurationRecord = z.looseObject({ build: z.string().optional() });

/** Shape unconfirmed. */
export const ChurnRecord = z.looseObject({ file: z.string().optional() });

/** Shape unconfirmed. */
export const MetricRecord = z.looseObject({
  filePath: z.string().optional(),
  tag: z.string().optional(),
  metricValue: z.number().optional(),
});

const ReportAxis = z.array(z.looseObject({ name: z.string().optional() }));

/** A table of numbers: one list of `data` for each row, one number for each column. Shape unconfirmed. */
export const ReportRecord = z.looseObject({
  rows: ReportAxis.optional(),
  columns: ReportAxis.optional(),
  data: z.array(z.array(z.number())).optional(),
});

/** Another server and the account there that an import reads it with. */
export const Source = {
  sourceURL: z.string(),
  sourceAdmin: z.string(),
  sourcePassword: z.string().optional(),
};

/** Ids of issues as an argument: a list, or the comma list that is sent. */
export const IdList = z.union([z.string(), z.array(Id).transform((ids) => ids.join(","))]);
