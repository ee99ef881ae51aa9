import { type RoleChecks, signedInAs } from "../check.ts";
import { versionFound } from "../versions.ts";
import type { ArtifactsReader } from "./operations.ts";

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
    find: async (read) => versionFound("artifacts", (await read.getServerVersion({})).version),
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
