import { unlessMissing } from "../../core/problem.ts";
import { type RoleChecks, type Supported, signedInAs, versionFound } from "../check.ts";
import type { CiReader } from "./operations.ts";

/** @see docs/decisions/versions.md: ci */
export const ciVersions: Supported = { since: "2.98", why: "scripts find the server by the name that setpoint's use" };

export const ciChecks: RoleChecks<CiReader> = [
  {
    check: "account",
    async find(read, { username, wire }) {
      // A server without an issuer of crumbs answers that it has none, but only to who is signed in.
      await (wire === "product" ? read.getVersion({}) : unlessMissing(read.getCrumb({})));
      return signedInAs(username);
    },
  },
  {
    check: "version",
    optional: true,
    find: async (read) => versionFound(ciVersions, (await read.getVersion({})).version),
  },
  {
    check: "newest",
    optional: true,
    find: async (read) => ({ says: `${await read.getLatestStableCore({})} is the newest stable version` }),
  },
];
