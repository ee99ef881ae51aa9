import { firstProblem, hasOnly, ProblemError } from "../../core/problem.ts";
import { isObject } from "../../core/text/json.ts";
import { type Supported, signedInAs, versionFound } from "../check.ts";
import { seraphProtocol } from "../seraph.ts";
import { type AwaitedCall, describeService } from "../service.ts";
import { WikiPageRecord, wikiOperations } from "./operations.ts";

/**
 * Protocol of the wiki. Errors are `{statusCode, data, message}`, those of the token plugin `{errorMessage}`.
 * @see docs/api/wiki.md, requests; docs/facts.md, across services
 */
const wikiProtocol = seraphProtocol((body, status) => {
  const said = isObject(body) ? (body.message ?? body.errorMessage) : undefined;
  const own = isObject(body) && (body.statusCode === status || body.errorMessage !== undefined);
  return { said: typeof said === "string" ? said : undefined, own };
});

/** @see docs/decisions/versions.md: wiki */
const wikiVersions: Supported = { since: "5.5", why: "pages are read and written by the REST API" };

const restricted =
  "If the account can see the page, it may not edit it: look at the page's restrictions, and at the space's permissions.";

/**
 * Updates a page, and repeats the update after a conflict without another writer: just after another write, the server
 * can refuse the next version of a page that has not changed.
 * @see docs/facts.md, wiki
 *
 * Throws `ProblemError`: what the calls throw, SP3006 if the page has another version. A page that was read before is not
 * found if the account may not edit it. @see docs/facts.md, Wiki: a page that the account may see but not edit
 */
const updateOfPage: AwaitedCall = async (send, { operation, args }) => {
  try {
    return await send(operation, args);
  } catch (error) {
    if (hasOnly(error, "SP3005")) throw new ProblemError({ ...firstProblem(error), hint: restricted });
    if (!hasOnly(error, "SP3006")) throw error;
    const { pageId, version } = wikiOperations.updatePage.args.parse(args);
    const live = WikiPageRecord.parse(await send("getPage", { pageId }));
    if (live.version.number + 1 !== version.number) throw error;
    return send(operation, args);
  }
};

/** The wiki with its token plugin (Confluence). */
export const wikiService = describeService({
  role: "wiki",
  types: ["confluence"],
  credentials: {
    accepted: [["USERNAME", "TOKEN"], ["USERNAME", "PASSWORD"], ["TOKEN"]],
    source: "your picture > Settings > Personal Access Tokens > Create token",
  },
  protocol: wikiProtocol,
  get operations() {
    return wikiOperations;
  },
  checks: {
    async account(read, { username: name, origin }) {
      const { type, username, displayName } = await read.getCurrentUser({});
      if (type !== "anonymous") return signedInAs(username ?? displayName);
      const bearer = name === undefined ? " Tokens without a user name work since version 7.9." : "";
      return {
        says: "not signed in",
        wrong: { hint: `Check ${origin}: the wiki treated the request as anonymous.${bearer}` },
      };
    },
    optional: { version: async (read) => versionFound(wikiVersions, (await read.getServerManifest({})).version) },
  },
  proof: { product: "getCurrentUser", documented: "getCurrentUser" },
  /** @see docs/facts.md, wiki: with a wrong token, pages are missing */
  isSignedIn: (user) => isObject(user) && user.type !== "anonymous",
  versions: wikiVersions,
  awaited: { updatePage: updateOfPage },
});
