import fc from "fast-check";
import { declarations, optional, type Part, product } from "./parts.ts";

const repositories = ["web", "api ü%2F", "nowhere"];

const actions = fc
  .record({
    enabled: fc.boolean(),
    allowed_actions: fc.constantFrom("all" as const, "local_only" as const, "selected" as const),
    sha_pinning_required: fc.boolean(),
  })
  .map((stored) => (stored.enabled ? stored : { ...stored, allowed_actions: "all" as const }));

const keys = ["ssh-ed25519 AAAA+/==", "ssh-rsa BBBB"];
const tags = ["v2.3.0", "2.4", "release-ü%2F"];

/** Workflow permissions and releases of repositories, one of which does not exist, and the service's host keys. */
export const hosting: Part = {
  world: fc
    .record({
      settings: fc.tuple(actions, actions),
      sshKeys: fc.subarray(keys, { minLength: 1 }),
      tag: optional(fc.constantFrom(...tags)),
    })
    .map(({ settings: stored, sshKeys, tag }) => ({
      hosting: {
        sshKeys,
        repositories: stored.map((settings, index) => ({
          id: index,
          owner: "acme",
          name: repositories[index],
          actions: settings,
          releases:
            tag === undefined || index > 0
              ? []
              : [{ id: 1, tag_name: tag, name: tag, author: "admin", created_at: "2026-01-01T00:00:00Z" }],
        })),
      },
    })),
  declared: fc
    .tuple(
      declarations(
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
      declarations("HostKeys", product(["keys", [keys]]), () => fc.record({ exclusive: fc.boolean() }), ["keys"]),
      declarations(
        "LatestRelease",
        product(["repo", repositories.map((name) => `acme/${name}`)]),
        () => fc.record({ tag: fc.constantFrom(...tags, "^2.3", ">=2.4 <3") }),
        ["tag"],
      ),
    )
    .map((all) => all.flat()),
  untouched: ({ hosting: { repositories: live } }, isFree) =>
    live.filter(({ name }) => isFree("ActionsPermission", `acme/${name}`)),
};
