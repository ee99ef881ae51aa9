import type { WikiReader } from "../../clients/wiki.ts";
import type { RoleChecks } from "./check.ts";
import { signedInAs } from "./check.ts";

export const wikiChecks: RoleChecks<WikiReader> = [
  {
    check: "account",
    async find(read) {
      const { type, username, displayName } = await read.getCurrentUser({});
      if (type !== "anonymous") return signedInAs(username ?? displayName);
      return {
        says: "not signed in",
        wrong: { hint: "Check the credentials: the wiki took the request for anonymous." },
      };
    },
  },
];
