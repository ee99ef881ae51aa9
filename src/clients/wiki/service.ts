import { type RoleChecks, type Supported, signedInAs, versionCheck } from "../check.ts";
import { describeService } from "../service.ts";
import { type WikiReader, wikiOperations } from "./operations.ts";
import { wikiProtocol } from "./protocol.ts";
import { updateOfPage } from "./update.ts";

/** @see docs/decisions/versions.md: wiki */
const wikiVersions: Supported = { since: "5.5", why: "pages are read and written by the REST API" };

export const wikiChecks: RoleChecks<WikiReader> = [
  {
    check: "account",
    async find(read, { username: name, origin }) {
      const { type, username, displayName } = await read.getCurrentUser({});
      if (type !== "anonymous") return signedInAs(username ?? displayName);
      const bearer = name === undefined ? " Tokens without a user name work since version 7.9." : "";
      return {
        says: "not signed in",
        wrong: { hint: `Check ${origin}: the wiki treated the request as anonymous.${bearer}` },
      };
    },
  },
  versionCheck(wikiVersions, async (read) => (await read.getServerManifest({})).version),
];

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
  checks: wikiChecks,
  proof: { product: "getCurrentUser", documented: "getCurrentUser" },
  versions: wikiVersions,
  awaited: { updatePage: updateOfPage },
});
