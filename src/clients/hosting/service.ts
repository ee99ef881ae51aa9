import { hash } from "node:crypto";
import { z } from "zod";
import { type CallOf, callOf } from "../../core/call.ts";
import { once } from "../../core/once.ts";
import { ProblemError } from "../../core/problem.ts";
import { quotaText } from "../../core/run/quota.ts";
import type { Service } from "../../core/service.ts";
import { isObject } from "../../core/text/json.ts";
import { withoutEnd } from "../../core/text/words.ts";
import type { Trigger } from "../../core/trigger.ts";
import { type Supported, signedInAs, versionFound } from "../check.ts";
import type { Credentials } from "../credentials/credentials.ts";
import { type Answer, decodeJson, header, jsonIfAny } from "../http/answer.ts";
import { quotaIn } from "../http/gauge.ts";
import type { Failure } from "../http/outcome.ts";
import { authorization } from "../http/protocol.ts";
import { answeredAt, retryAfter } from "../http/retry-after.ts";
import { describeService } from "../service.ts";
import { type HostingOperations, hostingOperations, inputsOf } from "./operations.ts";

const apiVersion = "2022-11-28";

/** How long a limit that does not say when it ends is assumed to last, in milliseconds. */
const unnamedLimit = 60_000;

/** No write here depends on the state that another writer left. @see docs/facts.md, hosting: a conflict */
const conflictHint =
  "Ask the owners of the organization or the enterprise: its policy may decide this. A repository without commits gives the same answer.";

const signOnHint =
  "Authorize the token for the organization's single sign-on, in the settings of the token under Configure SSO, or use a fine-grained token of the organization.";

/** @see docs/facts.md, hosting: a repository that was renamed or transferred */
const renamedHint =
  "The repository or its owner was renamed, or the repository was transferred. Open its old address in a browser, which leads to the new one, and declare it under its new name: redirects are never followed.";

/** Refusals that no permission lifts. @see docs/facts.md, hosting: 403 also means */
const refusals = [
  [
    /\barchived\b/i,
    "Nothing in an archived repository can be changed: unarchive it, or remove what manifests declare for it.",
  ],
  [
    /\blogin attempts\b/i,
    "Correct the credentials of everything that signs in to this account, then wait: after several wrong ones, the service also refuses the right ones for a while.",
  ],
] as const;

/** The zone is always the same, so that answers do not depend on who requests them, or from where. */
function hostingHeaders(service: Service, credentials: Credentials): Readonly<Record<string, string>> {
  const zone = { "time-zone": "Etc/UTC" };
  switch (service.wire) {
    case "product":
      return {
        accept: "application/vnd.github+json",
        "x-github-api-version": apiVersion,
        ...zone,
        ...authorization(credentials),
      };
    case "documented":
      return {
        accept: "application/vnd.vendor+json",
        "x-vendor-api-version": apiVersion,
        ...zone,
        ...(credentials.is === "token" ? { authorization: `token ${credentials.token.reveal()}` } : {}),
      };
  }
}

/** The failure of an answer. A limit can have status 403. @see docs/facts.md, hosting */
function hostingFailure(answer: Answer, now: number): Failure | undefined {
  const { status } = answer;
  if (status < 300) return undefined;
  const body = jsonIfAny(answer);
  const said = isObject(body) ? messages(body).join("; ") : undefined;
  const resumes = status === 403 || status === 429 ? limitEnds(answer, said ?? "", now) : undefined;
  const own = isObject(body) && typeof body.message === "string" && typeof body.documentation_url === "string";
  return { status, said, resumes, own, hint: resumes === undefined ? hintOf(answer, said ?? "") : undefined };
}

function hintOf(answer: Answer, said: string): string | undefined {
  if (answer.status === 409) return conflictHint;
  if (/\/repositories\/\d+(?:[/?]|$)/.test(header(answer, "location") ?? "")) return renamedHint;
  if (answer.status !== 403) return undefined;
  if (signOnOf(answer)?.startsWith("required")) return signOnHint;
  return refusals.find(([words]) => words.test(said))?.[1];
}

/** What the service says about the token and single sign-on: `required; url=…` or `partial-results; organizations=1,2`. */
function signOnOf(answer: Answer): string | undefined {
  return header(answer, "x-github-sso")?.trim().toLowerCase();
}

/**
 * The JSON of a successful answer. Throws `ProblemError` SP3104 for a list without what some organizations have: that
 * would look absent.
 * @see docs/facts.md, hosting: single sign-on
 */
function decodeHosting(answer: Answer): unknown {
  const signOn = signOnOf(answer);
  if (!signOn?.startsWith("partial-results")) return decodeJson(answer);
  const ids = /\borganizations=([\d, ]+)/.exec(signOn)?.[1]?.replaceAll(/,\s*/g, ", ") ?? "unnamed";
  throw new ProblemError({
    code: "SP3104",
    message: `The list leaves organizations out because the token is not authorized for their single sign-on: ${ids}.`,
    hint: signOnHint,
  });
}

/**
 * When the limit that was hit ends, in milliseconds since 1970; undefined if there was none. A secondary limit need not
 * say when: the service is then left alone for a minute.
 */
function limitEnds(answer: Answer, said: string, now: number): number | undefined {
  const delay = retryAfter(answer, now);
  if (delay !== undefined) return now + delay;
  const reset = Number(header(answer, "x-ratelimit-reset"));
  if (header(answer, "x-ratelimit-remaining") === "0" && reset > 0) return now + reset * 1000 - answeredAt(answer, now);
  return /\bsecondary rate limit\b|\babuse\b/i.test(said) ? now + unnamedLimit : undefined;
}

function messages(body: Readonly<Record<string, unknown>>): readonly string[] {
  const details: readonly unknown[] = Array.isArray(body.errors) ? body.errors : [];
  return [body, ...details]
    .map((entry) => (isObject(entry) ? wordsOf(entry) : entry))
    .filter((text) => typeof text === "string");
}

/** What an error says, or which field is wrong, and how. */
function wordsOf({ message, field, code }: Readonly<Record<string, unknown>>): unknown {
  return message ?? (typeof field === "string" && typeof code === "string" ? `${field}: ${code}` : undefined);
}

/** The share of the quota below which a run might not finish. */
const lowQuota = 0.1;

/** @see docs/decisions/versions.md: hosting */
const hostingVersions: Supported = { since: "3.9", why: "the REST API has versions, of which setpoint names one" };

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

/** The code hosting service (GitHub). @see docs/api/hosting.md, requests */
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
  protocol: { headers: hostingHeaders, failure: hostingFailure, decode: decodeHosting, etags: true, quota: quotaIn },
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
  checks: {
    account: async (read) => signedInAs((await read.getUser({})).login),
    optional: {
      async version(read) {
        const { installed_version: version } = await read.getMeta({});
        return version === undefined
          ? { says: "the hosted service, which reports no version" }
          : versionFound(hostingVersions, version);
      },
      async quota(read) {
        const { limit, remaining, reset } = (await read.getRateLimit({})).resources.core;
        const says = quotaText({ limit, remaining, resets: new Date(reset * 1000).toISOString() });
        const hint = "Wait until then, or use a separate account for setpoint.";
        return remaining < limit * lowQuota ? { says, wrong: { hint } } : { says };
      },
      async "host keys"(read) {
        const { ssh_keys: keys = [] } = await read.getMeta({});
        return keys.length === 0 ? undefined : { says: keys.map(fingerprint).join(", ") };
      },
    },
  },
  proof: { product: "getMeta", documented: "getMeta" },
  versions: hostingVersions,
});
