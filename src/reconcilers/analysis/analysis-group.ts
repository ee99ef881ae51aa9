import { z } from "zod";
import type { AnalysisOperations } from "../../clients/analysis/operations.ts";
import { type CallOf, callOf } from "../../core/call.ts";
import type { Update, Writable } from "../../core/change.ts";
import type { Kind } from "../../core/kind.ts";
import { distinctTexts, Text } from "../shared/fields.ts";
import { accessRisks } from "../shared/risks.ts";
import { asTold, observeAll } from "../shared/told.ts";
import { readOnlyThere, uncut, unlisted, userLimit } from "./shared/lists.ts";

const call = callOf<AnalysisOperations>();

const AnalysisGroup = z.strictObject({
  name: Text.describe("Name of the group."),
  users: distinctTexts("user").describe("Members, in any order."),
  exclusive: z.boolean().default(false).describe("Whether members that no manifest names are removed."),
});
type AnalysisGroup = z.infer<typeof AnalysisGroup>;

/** The whole group: a write replaces all of its members. */
interface Live {
  readonly users?: readonly string[];
  readonly readonly?: boolean;
}

/** A group of users. Members that no manifest names are kept, unless the group is `exclusive`. */
export const analysisGroup: Kind<AnalysisGroup, AnalysisOperations, Live> = {
  kind: "AnalysisGroup",
  role: "analysis",
  summary: "A group of users of the static analysis server.",
  spec: AnalysisGroup,
  budget: { reads: "1 groups for all", writes: "1 createGroup, updateGroup or deleteGroup per group" },
  notes: `If a group is not exclusive, a member removed from \`users\` is removed only if \`--base\` shows that the
manifest named it. The shape of the service's group records is unconfirmed; if a record does not list the members, a group
that sets \`users\` is unknown. A group that the service marks as read-only, such as one from a directory, is changed by a person.`,
  key: ({ name }) => name,
  scope: () => "groups",
  references: ({ users = [] }, { users: members = [] } = {}) =>
    [...users, ...members].map((name) => ({ kind: "AnalysisUser", identity: { name } })),
  normalize: ({ name, users }) => ({ name, users: users?.toSorted() }),

  async observe(read, _scope, wanted) {
    const groups = await read.groups({ list_users: true, limit: userLimit });
    const declared = Map.groupBy(wanted, (spec) => spec.name);
    const live = new Map(groups.map((group) => [group.name, group]));
    return observeAll(wanted, analysisGroup, (spec) => {
      const { name, exclusive } = spec;
      const group = live.get(name);
      if (group === undefined) return unlisted(name, groups, {});
      const named = new Set(declared.get(name)?.flatMap(({ users = [] }) => users));
      const users = exclusive ? group.users : group.users?.filter((user) => named.has(user));
      return asTold(spec, { name, users, exclusive }, group, "groups");
    });
  },

  async list(read) {
    const groups = uncut(await read.groups({ list_users: true, limit: userLimit }));
    return groups.map(({ name, users }) => ({ name, exclusive: false, ...(users === undefined ? {} : { users }) }));
  },

  needsPerson: (change) => readOnlyThere(change, "group", change.marker.readonly),

  compile: (changes) => changes.map(callFor),

  risk: (change) => {
    if (change.action === "delete") return ["irreversible", "narrows-access"];
    const { users: before = [] } = change.action === "update" ? change.live : {};
    return accessRisks(before, change.desired.users ?? []);
  },
};

function callFor(change: Writable<AnalysisGroup, Live>): CallOf<AnalysisOperations> {
  const name = change.key;
  if (change.action === "delete") return call("deleteGroup", { name }, [change]);
  const users = change.action === "create" ? (change.desired.users ?? []) : membersAfter(change);
  const args = { name, ...(users.length > 0 ? { users } : {}) };
  if (change.action === "create") return call("createGroup", args, [change]);
  return call("updateGroup", users.length > 0 ? args : { name, remove_all: true }, [change]);
}

/** Returns the members to write. `live` has those that manifests name, or all if the group is exclusive; the marker has all. */
function membersAfter({ desired, live, marker }: Update<AnalysisGroup, Live>): readonly string[] {
  const wanted = new Set(desired.users);
  const before = new Set(live.users);
  return [...new Set([...(marker.users ?? []), ...wanted])].filter((user) => wanted.has(user) || !before.has(user));
}
