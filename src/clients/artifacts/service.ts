import { ProblemError } from "../../core/problem.ts";
import type { Service } from "../../core/service.ts";
import { isObject } from "../../core/text/json.ts";
import { type Supported, signedInAs, versionFound } from "../check.ts";
import type { Credentials } from "../credentials/credentials.ts";
import { type Answer, decodeJson, jsonIfAny } from "../http/answer.ts";
import type { Failure } from "../http/outcome.ts";
import { authorization } from "../http/protocol.ts";
import { describeService } from "../service.ts";
import { bulkReads } from "./bulk.ts";
import { artifactsOperations } from "./operations.ts";

/** Basic or Bearer, or an API key in the header that the wire has for it. */
function artifactsHeaders({ wire }: Service, credentials: Credentials): Readonly<Record<string, string>> {
  if (credentials.is !== "key") return authorization(credentials);
  return { [wire === "product" ? "x-jfrog-art-api" : "x-vendor-art-api"]: credentials.key.reveal() };
}

/**
 * Errors are `{"errors":[{"status","message"}]}`; a promotion has them as `messages`, and the token service can have one alone.
 * @see docs/facts.md, across services; docs/facts.md, Artifacts: an error of the token service
 */
function artifactsFailure(answer: Answer): Failure | undefined {
  const { status } = answer;
  if (status < 300) return undefined;
  const body = jsonIfAny(answer);
  const listed = isObject(body) ? [body.errors, blamedIn(body.messages), aloneIn(body)].flat() : [];
  const said = listed.flatMap((entry) => (isObject(entry) && typeof entry.message === "string" ? [entry.message] : []));
  const hidden = status === 404 && said.some((words) => hiding.test(words));
  const isOfTokens = status === 401 && listed.some((entry) => isObject(entry) && typeof entry.code === "string");
  const hint = status === 409 ? refusal : hidden ? concealed : isOfTokens ? tokenOnly : undefined;
  return { status, said: said.join("; "), own: said.length > 0, hidden, hint };
}

/** The words for an item that the account may not read, if the server hides such items. @see docs/facts.md, Artifacts: hide unauthorized resources */
const hiding = /^Resource not found\.?$/i;
const concealed =
  "The server hides what the account may not read, so nothing tells whether it exists: give the account permission to read it.";

/** @see docs/facts.md, Artifacts: an error of the token service */
const tokenOnly = "The token service accepts a valid token, usually no password: set SETPOINT_<SERVICE>_TOKEN to one.";

/** The messages of a refused promotion, without those that only tell its steps if others say why. @see docs/facts.md, Artifacts: the promotion of a build */
function blamedIn(messages: unknown): unknown {
  if (!Array.isArray(messages)) return messages;
  const blamed = messages.filter((entry) => isObject(entry) && /^(error|warning)$/i.test(String(entry.level)));
  return blamed.length === 0 ? messages : blamed;
}

/** An error of the token service; its detail usually repeats the message. */
function aloneIn({ code, message, detail }: Readonly<Record<string, unknown>>): object | undefined {
  if (typeof code !== "string" || typeof message !== "string") return undefined;
  if (typeof detail !== "string" || detail === "") return { message };
  return { message: detail.startsWith(message) ? detail : `${message}: ${detail}` };
}

/** @see docs/facts.md, Artifacts: 409 is */
const refusal = "Check the repository's policies, such as that for snapshots and releases, and its layout.";

/** A promotion, and above all a dry run of one, can be answered with status 200 and messages of which some are errors. */
function decodeArtifacts(answer: Answer): unknown {
  const body = decodeJson(answer);
  const messages: readonly unknown[] = isObject(body) && Array.isArray(body.messages) ? body.messages : [];
  const errors = messages.filter(isObject).filter(({ level }) => /^error$/i.test(String(level)));
  if (errors.length === 0) return body;
  throw new ProblemError({
    code: "SP3007",
    message: `The service reports errors: ${errors.map(({ message }) => String(message)).join("; ")}`,
    hint: "The message is from the service; check the values it names.",
  });
}

/** @see docs/decisions/versions.md: artifacts */
const artifactsVersions: Supported = {
  since: "7.21.1",
  why: "access tokens are issued and listed by the token service",
};

/** The artifact repository with its token service (Artifactory). @see docs/api/artifacts.md, authentication */
export const artifactsService = describeService({
  role: "artifacts",
  types: ["artifactory"],
  roots: {
    auth: {
      description: "of an artifact repository's tokens",
      default: (url) => url.replace(/\/artifactory$/, "").concat("/access"),
      signedIn: true,
    },
  },
  credentials: {
    accepted: [["TOKEN"], ["USERNAME", "PASSWORD"], ["USERNAME", "API_KEY"], ["API_KEY"]],
    source: "the menu of your name > Edit Profile > Generate an Identity Token",
  },
  protocol: { headers: artifactsHeaders, failure: artifactsFailure, decode: decodeArtifacts },
  get operations() {
    return artifactsOperations;
  },
  liveLists: [{ operation: "listRepositories", row: "listRepositories", args: {}, naturalName: "key" }],
  checks: {
    async account(read, { username }) {
      const repositories = await read.listRepositories({});
      return { says: `${signedInAs(username).says}, sees ${repositories.length} repositories` };
    },
    optional: {
      version: async (read) => versionFound(artifactsVersions, (await read.getServerVersion({})).version),
      async storage(read) {
        const { fileStoreSummary: store } = await read.getStorageInfo({});
        return { says: `${store.usedSpace} of ${store.totalSpace} used, ${store.freeSpace} free` };
      },
    },
  },
  proof: { product: "listRepositories", documented: "listRepositories" },
  versions: artifactsVersions,
  joinReads: bulkReads,
});
