import { z } from "zod";
import type { AnalysisOperations, AnalysisReader } from "../../clients/analysis/operations.ts";
import type { ImportRecord } from "../../clients/analysis/records.ts";
import { callOf } from "../../core/call.ts";
import type { Observation } from "../../core/change.ts";
import type { Kind } from "../../core/kind.ts";
import { distinctTexts } from "../shared/fields.ts";
import { observeAll } from "../shared/told.ts";
import { ImportSource, sourceArgs, underWay, unfinished } from "./shared/imports.ts";
import { uncut, userLimit } from "./shared/lists.ts";

const call = callOf<AnalysisOperations>();

const parts = ["roles", "groups", "users"] as const;
type Brought = { readonly [Part in (typeof parts)[number]]?: string[] | undefined };

const Names = distinctTexts("name");

const Brings = z
  .strictObject({
    roles: Names.describe("Names of roles."),
    groups: Names.describe("Names of groups."),
    users: Names.describe("Names of users."),
  })
  .refine((brings) => countOf(brings) > 0, "expected at least one role, group or user");

const AnalysisServerImport = z.strictObject({
  ...ImportSource.shape,
  brings: Brings.describe(
    "What the source has and this server lacks before the import, which is made if none of it exists and done if all of it does.",
  ),
});
type AnalysisServerImport = z.infer<typeof AnalysisServerImport>;

/** The import of another server's configuration, recognised by what it brings. @see docs/decisions/imperative.md */
export const analysisServerImport: Kind<AnalysisServerImport, AnalysisOperations, undefined> = {
  kind: "AnalysisServerImport",
  role: "analysis",
  summary: "The import of the configuration of another static analysis server: its users, groups, roles and settings.",
  spec: AnalysisServerImport,
  budget: {
    reads: "1 roles, 1 groups and 1 users for all, if an import names them; 1 importStatus if an import is to be made",
    writes: "1 importServerConfiguration per source",
  },
  notes: `The import is made once and cannot be undone: the change is marked as irreversible, and \`--no-deletes\` refuses it.
The service does not report that its configuration was imported, so \`brings\` names something that only the import can have
brought. If a part of it exists, the import is not repeated, because it might overwrite later changes: that needs a
person. While \`importStatus\` reports an unfinished import, of anything, the resource is unknown. After the call, what the
import brings is read again: if it is missing, the change has failed.

The import also overwrites how users sign in, and what roles that both servers have may do. It brings who has a role
in a project only if this server has the project: import projects in an apply before. Import in a separate apply, and
declare what came with it afterwards: a role that a manifest creates in the same apply conflicts with the imported
one. Remove the document when the import is done.`,
  permanent: true,
  key: ({ sourceUrl }) => sourceUrl,
  scope: () => "imports of the configuration",
  normalize: ({ brings }) => ({
    brings: Object.fromEntries(Object.entries(brings).map(([part, names]) => [part, [...(names ?? [])].sort()])),
  }),

  async observe(read, _scope, wanted) {
    const live = await namesOn(read, wanted);
    const isToCome = wanted.some(({ brings }) => countOf(thereOf(brings, live)) === 0);
    const running = isToCome ? unfinished(await read.importStatus({})) : undefined;
    return observeAll(wanted, analysisServerImport, (spec) => observeImport(spec, thereOf(spec.brings, live), running));
  },

  needsPerson: (change) =>
    change.action === "update"
      ? "The service has only a part of what the import brings: it has changed since, or the import ended early. Add the rest manually, or remove it from brings."
      : undefined,

  compile: (changes) =>
    changes.flatMap((change) =>
      change.action === "create" ? [call("importServerConfiguration", sourceArgs(change.desired), [change])] : [],
    ),

  /** @see docs/facts.md, Analysis: an import of settings overwrites */
  risk: () => ["irreversible", "widens-access", "narrows-access"],
};

function observeImport(
  spec: AnalysisServerImport,
  there: Brought,
  running: ImportRecord | undefined,
): Observation<AnalysisServerImport, undefined> {
  if (countOf(there) > 0) return { is: "present", spec: { ...spec, brings: there }, marker: undefined };
  if (running === undefined) return { is: "absent", marker: undefined };
  return { is: "unknown", problem: underWay(running.project ?? "something", running) };
}

/** Returns the names on the server, of the parts that any import names. */
async function namesOn(read: AnalysisReader, wanted: readonly AnalysisServerImport[]): Promise<Brought> {
  const lists = {
    roles: () => read.roles({}),
    groups: async () => uncut(await read.groups({ list_users: true, limit: userLimit })),
    users: async () => uncut(await read.users({ limit: userLimit })),
  };
  const named = parts.filter((part) => wanted.some(({ brings }) => brings[part] !== undefined));
  const found = await Promise.all(
    named.map(async (part) => [part, (await lists[part]()).map(({ name }) => name)] as const),
  );
  return Object.fromEntries(found);
}

/** Returns those of the names that exist. */
function thereOf(brings: Brought, live: Brought): Brought {
  const there = parts.flatMap((part) => {
    const names = brings[part];
    return names === undefined ? [] : [[part, names.filter((name) => live[part]?.includes(name))] as const];
  });
  return Object.fromEntries(there);
}

function countOf(brings: Brought): number {
  return parts.flatMap((part) => brings[part] ?? []).length;
}
