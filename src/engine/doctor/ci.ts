import type { CiReader } from "../../clients/ci.ts";
import type { RoleChecks } from "./check.ts";
import { signedInAs } from "./check.ts";

export const ciChecks: RoleChecks<CiReader> = [
  {
    check: "account",
    async find(read, { username }) {
      await read.getVersion({});
      return signedInAs(username);
    },
  },
  {
    check: "version",
    find: async (read) => ({ says: (await read.getVersion({})).version }),
  },
  {
    check: "newest",
    optional: true,
    find: async (read) => ({ says: `${await read.getLatestStableCore({})} is the newest stable version` }),
  },
];
