import { type RoleChecks, signedInAs } from "../check.ts";
import { versionFound } from "../versions.ts";
import type { TrackerReader } from "./operations.ts";

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
    find: async (read) => versionFound("tracker", (await read.getServerInfo({})).version),
  },
];
