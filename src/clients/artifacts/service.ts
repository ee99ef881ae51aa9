import { type RoleChecks, type Supported, signedInAs, versionCheck } from "../check.ts";
import { describeService } from "../service.ts";
import { bulkReads } from "./bulk.ts";
import { type ArtifactsReader, artifactsOperations } from "./operations.ts";
import { artifactsProtocol } from "./protocol.ts";

/** @see docs/decisions/versions.md: artifacts */
const artifactsVersions: Supported = {
  since: "7.21.1",
  why: "access tokens are issued and listed by the token service",
};

const artifactsChecks: RoleChecks<ArtifactsReader> = [
  {
    check: "account",
    async find(read, { username }) {
      const repositories = await read.listRepositories({});
      return { says: `${signedInAs(username).says}, sees ${repositories.length} repositories` };
    },
  },
  versionCheck(artifactsVersions, async (read) => (await read.getServerVersion({})).version),
  {
    check: "storage",
    optional: true,
    async find(read) {
      const { fileStoreSummary: store } = await read.getStorageInfo({});
      return { says: `${store.usedSpace} of ${store.totalSpace} used, ${store.freeSpace} free` };
    },
  },
];

/** The artifact repository with its token service (Artifactory). */
export const artifactsService = describeService({
  role: "artifacts",
  types: ["artifactory"],
  roots: {
    auth: {
      description: "of an artifact repository's tokens",
      default: (url) => url.replace(/\/artifactory$/, "").concat("/access"),
      signedIn: true,
    },
  },
  credentials: {
    accepted: [["TOKEN"], ["USERNAME", "PASSWORD"], ["USERNAME", "API_KEY"], ["API_KEY"]],
    source: "the menu of your name > Edit Profile > Generate an Identity Token",
  },
  protocol: artifactsProtocol,
  get operations() {
    return artifactsOperations;
  },
  liveLists: [{ operation: "listRepositories", row: "listRepositories", args: {}, naturalName: "key" }],
  checks: artifactsChecks,
  proof: { product: "listRepositories", documented: "listRepositories" },
  versions: artifactsVersions,
  joinReads: bulkReads,
});
