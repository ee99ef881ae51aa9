import { z } from "zod";
import type { HostingOperations } from "../../clients/hosting/operations.ts";
import type { ActionsPermissions } from "../../clients/hosting/records.ts";
import { callOf } from "../../core/call.ts";
import type { Writable } from "../../core/change.ts";
import type { Kind } from "../../core/kind.ts";

const call = callOf<HostingOperations>();

const ActionsPermission = z.strictObject({
  org: z.string().min(1).describe("Owner of the repository."),
  repo: z.string().min(1).describe("Name of the repository."),
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
field that a request leaves out. Only the product has \`allowedActions\` and \`shaPinningRequired\`: under \`wire: documented\`
they are not read. A list has only repositories that the account may administer; the service does not report others.`,
  permanent: true,
  key: ({ org, repo }) => `${org}/${repo}`,
  scope: ({ org, repo }) => `workflow permissions of ${org}/${repo}`,
  // The service stores no choice of actions if no workflow may run.
  normalize: ({ allowedActions, ...spec }) => ({ ...spec, ...(spec.enabled ? { allowedActions } : {}) }),

  async observe(read, _scope, [wanted]) {
    if (wanted === undefined) return new Map();
    const { org, repo } = wanted;
    const live = await read.getActionsPermissions({ org, repo });
    const spec = specOf(org, repo, live);
    return new Map([[actionsPermission.key(wanted), { is: "present", spec, marker: live }]]);
  },

  async list(read) {
    const repositories = await read.listUserRepositories({ type: "all" });
    const administered = repositories.filter(({ permissions }) => permissions?.admin === true);
    return Promise.all(
      administered.map(async ({ full_name: full, name: repo }) => {
        const org = full.slice(0, full.length - repo.length - 1);
        return specOf(org, repo, await read.getActionsPermissions({ org, repo }));
      }),
    );
  },

  compile: (changes) =>
    changes.flatMap((change) => {
      if (change.action === "delete") return [];
      const { org, repo, enabled, allowedActions, shaPinningRequired } = change.desired;
      const args = {
        org,
        repo,
        enabled,
        ...(enabled && allowedActions !== undefined ? { allowed_actions: allowedActions } : {}),
        ...(shaPinningRequired === undefined ? {} : { sha_pinning_required: shaPinningRequired }),
      };
      return [call("setActionsPermissions", args, [change])];
    }),

  risk: (change) => (change.action === "update" ? reachChange(change) : []),
};

function specOf(org: string, repo: string, live: ActionsPermissions): ActionsPermission {
  return {
    org,
    repo,
    enabled: live.enabled,
    ...(live.allowed_actions === undefined ? {} : { allowedActions: live.allowed_actions }),
    ...(live.sha_pinning_required === undefined ? {} : { shaPinningRequired: live.sha_pinning_required }),
  };
}

function reachChange({ live, desired }: Extract<Writable<ActionsPermission>, { readonly action: "update" }>) {
  const reach = ({ enabled, allowedActions = "all", shaPinningRequired }: ActionsPermission) =>
    enabled
      ? 1 + 2 * ["local_only", "selected", "all"].indexOf(allowedActions) + (shaPinningRequired === true ? 0 : 1)
      : 0;
  const growth = reach(desired) - reach(live);
  return growth > 0 ? (["widens-access"] as const) : growth < 0 ? (["narrows-access"] as const) : [];
}
