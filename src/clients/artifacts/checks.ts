import { type RoleChecks, type Supported, signedInAs, versionFound } from "../check.ts";
import type { ArtifactsReader } from "./operations.ts";

/** @see docs/decisions/versions.md: artifacts */
export const artifactsVersions: Supported = {
  since: "7.21.1",
  why: "access tokens are issued and listed by the token service",
};

export const artifactsChecks: RoleChecks<ArtifactsReader> = [
  {
    check: "account",
    async find(read, { username }) {
      const repositories = await read.listRepositories({});
      return { says: `${signedInAs(username).says}, sees ${repositories.length} repositories` };
    },
  },
  {
    check: "version",
    optional: true,
    find: async (read) => versionFound(artifactsVersions, (await read.getServerVersion({})).version),
  },
  {
    check: "storage",
    optional: true,
    async find(read) {
      const { fileStoreSummary: store } = await read.getStorageInfo({});
      return { says: `${store.usedSpace} of ${store.totalSpace} used, ${store.freeSpace} free` };
    },
  },
];
