import { isObject } from "../../core/text/json.ts";
import { type Supported, signedInAs, versionFound } from "../check.ts";
import { seraphProtocol } from "../seraph.ts";
import { describeService } from "../service.ts";
import { trackerOperations } from "./operations.ts";

/**
 * Protocol of the issue tracker. Errors are `{errorMessages, errors}`, those of the token plugin `{errorMessage}`, and those of
 * the server around both `{message}`, which says nothing about an object.
 * @see docs/api/tracker.md, requests; docs/facts.md, across services; docs/facts.md, tracker and wiki: null for uri
 */
const trackerProtocol = seraphProtocol((body) => {
  if (!isObject(body)) return { own: false };
  const said = messages(body).join("; ");
  const around = typeof body.message === "string" ? body.message : undefined;
  return { said: said || around, own: said !== "" };
});

function messages({ errorMessages, errors, errorMessage }: Readonly<Record<string, unknown>>): readonly string[] {
  const general: readonly unknown[] = Array.isArray(errorMessages) ? errorMessages : [errorMessage];
  const ofFields = isObject(errors) ? Object.entries(errors).map(([field, message]) => `${field}: ${message}`) : [];
  return [...general, ...ofFields].filter((text) => typeof text === "string");
}

/** @see docs/decisions/versions.md: tracker */
const trackerVersions: Supported = { since: "7.0", why: "the REST API has the preferences of the caller" };

/** The issue tracker with its token plugin (Jira). */
export const trackerService = describeService({
  role: "tracker",
  types: ["jira"],
  credentials: {
    accepted: [["USERNAME", "TOKEN"], ["USERNAME", "PASSWORD"], ["TOKEN"]],
    source: "your picture > Profile > Personal Access Tokens > Create token",
  },
  protocol: trackerProtocol,
  get operations() {
    return trackerOperations;
  },
  liveLists: [{ operation: "listProjects", row: "listProjects", args: {}, naturalName: "key" }],
  checks: {
    async account(read) {
      const { name, active } = await read.getMyself({});
      if (active !== false) return signedInAs(name);
      return { says: `${name} is not active`, wrong: { hint: "Activate the account, or use another." } };
    },
    optional: { version: async (read) => versionFound(trackerVersions, (await read.getServerInfo({})).version) },
  },
  proof: { product: "getMyself", documented: "getMyself" },
  versions: trackerVersions,
});
