import { hash } from "node:crypto";
import { z } from "zod";
import { type CallOf, callOf } from "../../core/call.ts";
import { once } from "../../core/once.ts";
import { quotaText } from "../../core/run/quota.ts";
import { withoutEnd } from "../../core/text/words.ts";
import type { Trigger } from "../../core/trigger.ts";
import { type RoleChecks, type Supported, signedInAs, versionFound } from "../check.ts";
import { describeService } from "../service.ts";
import { type HostingOperations, type HostingReader, hostingOperations, inputsOf } from "./operations.ts";
import { hostingProtocol } from "./protocol.ts";

/** The share of the quota below which a run might not finish. */
const lowQuota = 0.1;

/** @see docs/decisions/versions.md: hosting */
const hostingVersions: Supported = {
  since: "3.9",
  why: "the REST API has versions, of which setpoint names one",
};

const hostingChecks: RoleChecks<HostingReader> = [
  {
    check: "account",
    find: async (read) => signedInAs((await read.getUser({})).login),
  },
  {
    check: "version",
    optional: true,
    async find(read) {
      const { installed_version: version } = await read.getMeta({});
      return version === undefined
        ? { says: "the hosted service, which reports no version" }
        : versionFound(hostingVersions, version);
    },
  },
  {
    check: "quota",
    optional: true,
    async find(read) {
      const { limit, remaining, reset } = (await read.getRateLimit({})).resources.core;
      const says = quotaText({ limit, remaining, resets: new Date(reset * 1000).toISOString() });
      const hint = "Wait until then, or use a separate account for setpoint.";
      return remaining < limit * lowQuota ? { says, wrong: { hint } } : { says };
    },
  },
  {
    check: "host keys",
    optional: true,
    async find(read) {
      const { ssh_keys: keys = [] } = await read.getMeta({});
      return keys.length === 0 ? undefined : { says: keys.map(fingerprint).join(", ") };
    },
  },
];

/** A key of a known hosts file as SSH clients show it: `ssh-ed25519 SHA256:…`. */
function fingerprint(line: string): string {
  const [type = "", key = ""] = line.split(" ");
  const digest = withoutEnd(hash("sha256", Buffer.from(key, "base64"), "base64"), "=");
  return `${type} SHA256:${digest}`;
}

const workflow = once(() => {
  const { owner, repo, ref } = hostingOperations.dispatchWorkflow.args.shape;
  return z.strictObject({
    owner: owner.describe("The account that owns the repository."),
    repo: repo.describe("The repository."),
    file: z.string().min(1).describe("The name of the workflow's file, such as `applied.yml`."),
    ref,
    inputs: inputsOf(z.union([z.string(), z.number(), z.boolean()]))
      .optional()
      .describe("The inputs that the workflow takes, by name."),
  });
});
const call = callOf<HostingOperations>();

const startWorkflow: Trigger<z.infer<ReturnType<typeof workflow>>, CallOf<HostingOperations>> = {
  summary: "Starts a workflow that allows manual runs.",
  get spec() {
    return workflow();
  },
  call: ({ file, ...rest }) => call("dispatchWorkflow", { ...rest, workflowId: file }, []),
};

const type = { required: false, description: "The repositories to list, such as `private`." };
/** The code hosting service (GitHub). */
export const hostingService = describeService({
  role: "hosting",
  types: ["github"],
  hosted: "https://api.github.com",
  credentials: {
    accepted: [["TOKEN"]],
    login: (_username, token) => ({ is: "token", token }),
    anonymous: true,
    source:
      "Settings > Developer settings > Fine-grained tokens, with Administration and Actions (read and write), Contents (read)",
  },
  protocol: hostingProtocol,
  get operations() {
    return hostingOperations;
  },
  liveLists: [
    {
      operation: "listOrganizationRepositories",
      row: "listOrganizationRepositories",
      args: { org: { required: true, description: "The organization." }, type },
      naturalName: "name",
    },
    { operation: "listUserRepositories", row: "listUserRepositories", args: { type }, naturalName: "name" },
  ],
  triggers: { workflow: startWorkflow },
  checks: hostingChecks,
  proof: { product: "getMeta", documented: "getMeta" },
  versions: hostingVersions,
});
