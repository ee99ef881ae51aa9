import fc from "fast-check";
import type { Part } from "./generate-parts.ts";
import { declarations, product } from "./generate-parts.ts";

const repositories = ["web", "api ü%2F", "nowhere"];

const actions = fc
  .record({
    enabled: fc.boolean(),
    allowed_actions: fc.constantFrom("all" as const, "local_only" as const, "selected" as const),
    sha_pinning_required: fc.boolean(),
  })
  .map((stored) => (stored.enabled ? stored : { ...stored, allowed_actions: "all" as const }));

/** Workflow permissions of repositories, one of which is not there. */
export const hosting: Part = {
  world: fc.tuple(actions, actions).map((stored) => ({
    hosting: {
      repositories: stored.map((settings, index) => ({
        id: index,
        owner: "acme",
        name: repositories[index],
        actions: settings,
      })),
    },
  })),
  declared: declarations(
    "ActionsPermission",
    product(["org", ["acme"]], ["repo", repositories]),
    () =>
      fc.record(
        {
          enabled: fc.boolean(),
          allowedActions: fc.constantFrom("all", "local_only", "selected"),
          shaPinningRequired: fc.boolean(),
        },
        { requiredKeys: ["enabled"] },
      ),
    ["allowedActions", "shaPinningRequired"],
  ),
};
