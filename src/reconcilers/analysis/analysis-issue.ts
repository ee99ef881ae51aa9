import { z } from "zod";
import type { AnalysisOperations, AnalysisReader } from "../../clients/analysis/operations.ts";
import type { IssueRecord } from "../../clients/analysis/records.ts";
import { callOf } from "../../core/call.ts";
import type { Observation, Update } from "../../core/change.ts";
import type { Kind } from "../../core/kind.ts";
import { unlessMissing } from "../../core/problem.ts";
import { groupsBy } from "../../core/text/groups.ts";
import { grouped } from "../../core/text/words.ts";
import { changedIn, Text } from "../shared/fields.ts";
import { asTold, observeEach } from "../shared/told.ts";
import { inNoProject, ofProject, recordsIfThere } from "./shared/parts.ts";

const call = callOf<AnalysisOperations>();

/** The number of issues to read in one search; those beyond it are read one by one. */
const searchLimit = 10_000;

/** The owner of an issue that nobody owns. @see docs/facts.md, Analysis: no operation is known to set it */
const nobody = "unowned";

const AnalysisIssue = z
  .strictObject({
    project: Text.describe("Name of the project."),
    id: z.int().min(1).describe("Id of the issue."),
    status: Text.optional().describe("Status of the issue, such as `Fix` or `Not a Problem`, in any case."),
    owner: Text.optional().describe("User who owns the issue."),
    comment: Text.optional().describe(
      "Comment to write when the status or the owner changes; never a difference by itself.",
    ),
  })
  .refine(({ status, owner }) => status !== undefined || owner !== undefined, "expected status, owner or both");
type AnalysisIssue = z.infer<typeof AnalysisIssue>;

/** The status and the owner of an issue. */
export const analysisIssue: Kind<AnalysisIssue, AnalysisOperations, undefined> = {
  kind: "AnalysisIssue",
  role: "analysis",
  summary: "The status and the owner of an issue that the static analysis server has found: an entry of a triage list.",
  spec: AnalysisIssue,
  budget: {
    reads: `1 search per project, and 1 issueDetails per issue that it does not return, such as one beyond ${grouped(searchLimit)}`,
    writes: "1 updateStatus for all issues of a project that get the same status, owner and comment",
  },
  notes: `A triage list is one document with \`forEach\` over its entries. Analyses find issues: one that the project does not
have needs a person. An issue that is removed from the manifests keeps its status. The service records each change of an issue
with its comment, and the role of the account decides which statuses it may set. Issues are not listed: an import would
declare every issue of every project.`,
  permanent: true,
  key: ({ project, id }) => `${project}:${id}`,
  scope: ({ project }) => `issues of ${project}`,
  references: ofProject,
  normalize: ({ comment: _written, ...spec }) => spec,

  async observe(read, _scope, wanted) {
    const [project = ""] = wanted.map((spec) => spec.project);
    const records = await recordsIfThere(read, project, () => read.search({ project, limit: searchLimit }));
    const listed = records && byId(records);
    return observeEach(wanted, analysisIssue, async (spec) =>
      listed === undefined ? inNoProject(spec) : observeIssue(read, spec, listed),
    );
  },

  needsPerson(change) {
    if (change.action === "create")
      return `Project ${change.desired.project} has no issue ${change.desired.id}: correct the id, or take the issue off the list.`;
    return change.action === "update" && change.desired.owner === nobody && change.live.owner !== nobody
      ? "An issue's owner can be replaced but not removed: name another one, or remove it in the service."
      : undefined;
  },

  compile: (changes) =>
    groupsBy(
      changes.filter((change) => change.action === "update"),
      decisionOf,
    ).map(({ first, all }) => {
      const ids = all.map(({ desired }) => desired.id);
      return call("updateStatus", { project: first.desired.project, ids, ...decisionOf(first) }, all);
    }),
};

/** The product's search groups similar issues, so an unlisted one can exist. @see docs/facts.md, Analysis: a search may group issues */
async function observeIssue(
  read: AnalysisReader,
  { project, id, status, owner }: AnalysisIssue,
  listed: ReadonlyMap<string, IssueRecord>,
): Promise<Observation<AnalysisIssue, undefined>> {
  const key = String(id);
  const found = listed.get(key) ?? byId((await unlessMissing(read.issueDetails({ project, id }))) ?? []).get(key);
  if (found === undefined) return { is: "absent", marker: undefined };
  // @see docs/facts.md, Analysis: the status of an issue
  const isSame = found.status?.toLowerCase() === status?.toLowerCase();
  const live = { project, id, status: isSame ? status : found.status, owner: found.owner };
  return asTold({ project, id, status, owner }, live, undefined, "search");
}

/** Returns the issues among the records of a search, which can include a summary. */
function byId(
  records: readonly Awaited<ReturnType<AnalysisReader["search"]>>[number][],
): ReadonlyMap<string, IssueRecord> {
  return new Map(records.flatMap((record) => (record.id === undefined ? [] : [[String(record.id), record] as const])));
}

/** Returns what to write about an issue: only what differs, with the comment. */
function decisionOf(change: Update<AnalysisIssue>) {
  const { status, owner } = changedIn(change);
  return { status, owner, comment: change.desired.comment };
}
