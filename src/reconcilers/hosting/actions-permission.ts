import { z } from "zod";
import type { HostingOperations, HostingReader } from "../../clients/hosting/operations.ts";
import type { ActionsPermissions } from "../../clients/hosting/records.ts";
import { callOf } from "../../core/call.ts";
import type { Update } from "../../core/change.ts";
import type { Kind } from "../../core/kind.ts";
import { defined } from "../../core/text/json.ts";
import { Text } from "../shared/fields.ts";
import { listEach, refuse } from "../shared/left-out.ts";
import { asTold, observeAll, unclearIn } from "../shared/told.ts";

const call = callOf<HostingOperations>();

const ActionsPermission = z.strictObject({
  org: Text.describe("Owner of the repository."),
  repo: Text.describe("Name of the repository."),
  enabled: z.boolean().describe("Whether workflows may run."),
  allowedActions: z
    .enum(["all", "local_only", "selected"])
    .optional()
    .describe("Which actions workflows may use; only if `enabled` is true."),
  shaPinningRequired: z.boolean().optional().describe("Whether actions must be pinned to a commit."),
});
type ActionsPermission = z.infer<typeof ActionsPermission>;

/** Whether workflows may run in a repository. The setting always exists: it can be changed, not deleted. */
export const actionsPermission: Kind<ActionsPermission, HostingOperations, ActionsPermissions | undefined> = {
  kind: "ActionsPermission",
  role: "hosting",
  summary: "Whether workflows may run in a repository, and which actions they may use.",
  spec: ActionsPermission,
  budget: {
    reads: "1 getActionsPermissions per repository; a list takes 1 listUserRepositories per 100 repositories",
    writes: "1 setActionsPermissions per repository",
  },
  notes: `A write sends back the live values of fields that the manifest does not set, because the service resets any
field that a request leaves out; if the service has a setting that setpoint does not know, a change therefore needs a
person. The service keeps no choice of actions while no workflow may run: state \`allowedActions\` with \`enabled: false\` too,
so that actions are limited again when workflows are enabled. A plan notes when that choice is lost, or when all actions
become allowed. Only the product has \`allowedActions\` and \`shaPinningRequired\`: under \`wire: documented\` they are not read, and
a manifest that sets one makes the setting unknown.

A list has only repositories that the account may administer, because the service does not report others, and none that is
archived, because nothing in it can be changed. It names repositories that a token may not read although its account may, and
leaves them out. For a declared repository, what a plan reads does not tell whether it is archived: the service then refuses
the call.`,
  permanent: true,
  key: keyOf,
  scope: ({ org, repo }) => `workflow permissions of ${org}/${repo}`,
  // @see docs/facts.md, Hosting: names in any case
  claims: (spec) => [`the workflow permissions of ${keyOf(spec).toLowerCase()}`],
  // The service stores no choice of actions if no workflow may run.
  normalize: ({ allowedActions, ...spec }) => ({ ...spec, ...(spec.enabled ? { allowedActions } : {}) }),

  observe: (read, _scope, all) =>
    observeAll(all, actionsPermission, async (wanted) => {
      const { allowedActions: _choice, ...others } = wanted;
      const { org, repo } = others;
      const live = await read.getActionsPermissions({ org, repo });
      const spec = specOf(org, repo, live);
      // The service reports no choice of actions if no workflow may run.
      const seen = asTold(live.enabled ? wanted : others, spec, live, "getActionsPermissions");
      const ahead = aheadOf(wanted, spec);
      return seen.is !== "present" || ahead === undefined ? seen : { ...seen, ahead };
    }),

  list: async (read, _now, leaveOut = refuse) =>
    listEach(
      await administered(read),
      keyOf,
      async ({ org, repo }) => [specOf(org, repo, await read.getActionsPermissions({ org, repo }))],
      leaveOut,
    ),

  names: administered,

  needsPerson: ({ key, marker }) => {
    const strange = unclearIn(key, "getActionsPermissions", marker?.unclear);
    return strange === undefined ? undefined : `${strange.message} A write would reset it: make the change manually.`;
  },

  compile: (changes) =>
    changes.flatMap((change) => {
      if (change.action === "delete") return [];
      const { org, repo, enabled, allowedActions, shaPinningRequired } = change.desired;
      const args = {
        org,
        repo,
        enabled,
        allowed_actions: enabled ? allowedActions : undefined,
        sha_pinning_required: shaPinningRequired,
      };
      return [call("setActionsPermissions", args, [change])];
    }),

  risk: (change) => (change.action === "update" ? reachChange(change) : []),
};

type Repository = Pick<ActionsPermission, "org" | "repo">;

function keyOf({ org, repo }: Repository): string {
  return `${org}/${repo}`;
}

/**
 * Returns the repositories that the account administers, because the service does not report permissions of others, and in
 * which something can be changed. A token may be limited to fewer.
 * @see docs/facts.md, Hosting: 403 also means that a repository is archived
 * @see docs/facts.md, Hosting: a fine-grained token
 */
async function administered(read: HostingReader): Promise<readonly Repository[]> {
  const repositories = await read.listUserRepositories({ type: "all" });
  return repositories
    .filter(({ permissions, archived }) => permissions?.admin === true && archived !== true)
    .map(({ full_name: full, name: repo }) => ({ org: full.slice(0, full.length - repo.length - 1), repo }));
}

function specOf(org: string, repo: string, live: ActionsPermissions): ActionsPermission {
  const { enabled, allowed_actions: allowedActions, sha_pinning_required: shaPinningRequired } = live;
  return defined({ org, repo, enabled, allowedActions, shaPinningRequired });
}

/** Says what changing `enabled` does to a choice of actions that the manifest does not state. @see docs/facts.md, hosting */
function aheadOf(wanted: ActionsPermission, live: ActionsPermission): string | undefined {
  if (wanted.allowedActions !== undefined || wanted.enabled === live.enabled) return undefined;
  if (wanted.enabled) return "enabling allows all actions: state allowedActions to limit them";
  const { allowedActions = "all" } = live;
  return allowedActions === "all"
    ? undefined
    : `disabling loses allowedActions (${allowedActions}): state it to get it back`;
}

function reachChange({ live, desired }: Update<ActionsPermission>) {
  const reach = ({ enabled, allowedActions = "all", shaPinningRequired }: ActionsPermission) =>
    enabled
      ? 1 + 2 * ["local_only", "selected", "all"].indexOf(allowedActions) + (shaPinningRequired === true ? 0 : 1)
      : 0;
  const growth = reach(desired) - reach(live);
  return growth > 0 ? (["widens-access"] as const) : growth < 0 ? (["narrows-access"] as const) : [];
}
