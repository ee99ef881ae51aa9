import { type RoleChecks, type Supported, signedInAs, versionFound } from "../check.ts";
import type { TrackerReader } from "./operations.ts";

/** @see docs/decisions/versions.md: tracker */
export const trackerVersions: Supported = { since: "7.0", why: "the REST API has the preferences of the caller" };

export const trackerChecks: RoleChecks<TrackerReader> = [
  {
    check: "account",
    async find(read) {
      const { name, active } = await read.getMyself({});
      if (active !== false) return signedInAs(name);
      return { says: `${name} is not active`, wrong: { hint: "Activate the account, or use another one." } };
    },
  },
  {
    check: "version",
    optional: true,
    find: async (read) => versionFound(trackerVersions, (await read.getServerInfo({})).version),
  },
];
