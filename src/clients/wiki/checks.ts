import { type RoleChecks, signedInAs } from "../check.ts";
import { versionFound } from "../versions.ts";
import type { WikiReader } from "./operations.ts";

export const wikiChecks: RoleChecks<WikiReader> = [
  {
    check: "account",
    async find(read, { username: name }) {
      const { type, username, displayName } = await read.getCurrentUser({});
      if (type !== "anonymous") return signedInAs(username ?? displayName);
      const bearer = name === undefined ? " A token without a user name is taken since version 7.9." : "";
      return {
        says: "not signed in",
        wrong: { hint: `Check the credentials: the wiki took the request for anonymous.${bearer}` },
      };
    },
  },
  {
    check: "version",
    optional: true,
    find: async (read) => versionFound("wiki", (await read.getServerManifest({})).version),
  },
];
