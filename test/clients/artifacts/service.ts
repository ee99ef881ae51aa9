import { artifactsBuilds } from "../../support/worlds/artifacts-builds.ts";
import { artifactItems } from "../../support/worlds/artifacts-items.ts";
import { accessTokens } from "../../support/worlds/tokens.ts";
import type { ServiceExample } from "../example.ts";
import { tokenCredentials } from "../fixtures.ts";

const json = "application/json";

/** What the tests of all clients need to know about this one. */
export const artifactsExample: ServiceExample = {
  exchange: {
    credentials: tokenCredentials,
    read: ["getRepository", { key: "libs" }],
    method: "GET",
    path: "/api/repositories/libs",
    error: (status, message) => ({ body: JSON.stringify({ errors: [{ status, message }] }), type: json }),
    success: { body: '{"key":"libs","type":"LOCAL"}', type: "application/json" },
  },
  typed: { write: "deleteItem", args: '{ repoKey: "r", path: "p" }', less: '{ repoKey: "r" }' },
  calls: {
    getServerVersion: "",
    listFolder: "--repo-key libs-release-local --path com/meridian --deep --depth 3 --list-folders true",
    getLastModified: "--repo-key libs-release-local --path com",
    getItem: "--repo-key libs-release-local --path com/meridian/telemetry",
    getProperties: "--repo-key libs-release-local --path com/meridian/telemetry/2.4/telemetry-2.4.jar",
    listTrash: "",
    searchArtifacts: "--name telemetry --repos libs-release-local --repos docker-dev-local",
    searchPattern: "--pattern libs-release-local:com/*/telemetry/*/*.jar",
    query: '--query {"find":"items","where":{"repo":{"$match":"libs-*"}}}',
    listRepositories: "",
    getRepository: "--key libs",
    getStorageInfo: "",
    listTags: "--repo-key docker-dev-local --image meridian/telemetry --n 1",
    listCatalog: "--repo-key docker-dev-local",
    promoteImage: "--repo-key docker-dev-local --target-repo docker-prod-local --docker-repository meridian/telemetry",
    listBuilds: "--build-name {build}",
    getBuild: "--build-name {build} --build-number 42",
    deleteBuilds: "--build-name {build} --build-numbers 41 --build-numbers 42",
    applyRetention: "--build-name {build} --count 1",
    promoteBuild: "--build-name {build} --build-number 42 --status released",
    deployFile: "--repo-key libs-release-local --path new/new.jar --file {folder}/new.jar",
    deployArchive: "--repo-key libs-release-local --path site --file {folder}/site.tar.gz",
    deleteItem: "--repo-key libs-release-local --path com",
    setProperties: '--repo-key libs-release-local --path com --properties {"owner":["jo"]} --recursive',
    deleteProperties:
      "--repo-key libs-release-local --path com/meridian/telemetry/2.4/telemetry-2.4.jar --properties release.state",
    cleanTrashItem: "--repo-key libs-snapshot-local --path nightly/2025-12-24",
    cleanTrashBuildInfo: "--build-info-repo-key libs-snapshot-local",
    emptyTrash: "",
    createToken: "--grant-type client_credentials --username admin --scope applied-permissions/user --expires-in 86400",
    listTokens: "--description release*",
    getToken: "--token-id 5d2f8c1e",
    revokeToken: "--token-id 5d2f8c1e",
  },
  parts: [accessTokens, artifactsBuilds, artifactItems],
};
