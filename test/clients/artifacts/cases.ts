import { expect } from "vitest";
import type { artifactsOperations } from "../../../src/clients/artifacts/operations.ts";
import type { Case } from "./case.ts";
import { tokenCases } from "./token-cases.ts";

type Name = keyof typeof artifactsOperations;

const telemetry = { repoKey: "libs-release-local", path: "com/meridian/telemetry/2.4/telemetry-2.4.jar" };
const telemetryKey = `${telemetry.repoKey}/${telemetry.path}`;
const build = "telemetry release";
const sha256 = "11507a0e2f5e69d5dfa40a62a1bd7b6ee57e6bcd85c67c9b8431b36fff21c437";

/** A call of each operation in the world of the invented company on 1 October 2026, with two files to deploy. */
export function artifactsCases({
  jar,
  site,
}: {
  readonly jar: string;
  readonly site: string;
}): Readonly<Record<Name, Case>> {
  return {
    getServerVersion: { args: {}, gives: { version: "7.98.9" } },
    listFolder: {
      args: {
        repoKey: "libs-release-local",
        path: "com/meridian",
        deep: true,
        depth: 3,
        listFolders: 1,
        mdTimestamps: true,
        includeRootPath: false,
      },
      gives: {
        files: [
          expect.objectContaining({ uri: "/telemetry", folder: true }),
          expect.objectContaining({ uri: "/telemetry/2.3", folder: true }),
          expect.objectContaining({
            uri: "/telemetry/2.3/telemetry-2.3.jar",
            size: 13,
            mdTimestamps: expect.anything(),
          }),
          expect.objectContaining({ uri: "/telemetry/2.4", folder: true }),
          expect.objectContaining({ uri: "/telemetry/2.4/telemetry-2.4.jar", folder: false, sha2: expect.any(String) }),
        ],
      },
    },
    getLastModified: {
      args: { repoKey: "libs-release-local", path: "com" },
      gives: { uri: expect.stringMatching(/telemetry-2\.4\.jar$/), lastModified: "2026-09-14T09:30:00.000Z" },
    },
    getItem: {
      args: telemetry,
      gives: expect.objectContaining({
        size: 13,
        repo: "libs-release-local",
        checksums: expect.objectContaining({ sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }),
      }),
    },
    getProperties: {
      args: telemetry,
      gives: {
        uri: expect.any(String),
        properties: { "build.number": ["42"], "release.state": ["candidate"] },
      },
    },
    listTrash: { args: {}, gives: { children: [{ uri: "/libs-snapshot-local", folder: true }] } },
    searchArtifacts: {
      args: { name: "TELEMETRY-2", repos: ["libs-release-local/com/meridian/telemetry/2.3", "docker-dev-local"] },
      gives: { results: [{ uri: expect.stringMatching(/2\.3\/telemetry-2\.3\.jar$/) }] },
    },
    searchPattern: {
      args: { pattern: "libs-release-local:com/*/telemetry/*/*.jar" },
      gives: { files: ["com/meridian/telemetry/2.3/telemetry-2.3.jar", telemetry.path] },
    },
    query: {
      args: {
        query: {
          find: "items",
          where: { repo: { $match: "libs-*" }, created: { $before: "2w" }, "@build.number": { $gte: "42" } },
          include: ["name", "created", "property"],
          sort: { desc: ["created"] },
          offset: 0,
          limit: 5,
        },
      },
      gives: {
        results: [
          {
            name: "telemetry-2.4.jar",
            properties: [
              { key: "build.number", value: "42" },
              { key: "release.state", value: "candidate" },
            ],
          },
        ],
        range: { start_pos: 0, end_pos: 1, total: 1 },
      },
    },
    listRepositories: {
      args: {},
      gives: expect.arrayContaining(
        [
          { key: "libs-release-local", type: "LOCAL" },
          { key: "maven-remote", type: "REMOTE" },
          { key: "libs", type: "VIRTUAL" },
        ].map((repository) => expect.objectContaining(repository)),
      ),
    },
    getRepository: {
      args: { key: "libs" },
      gives: { key: "libs", type: "VIRTUAL", defaultDeploymentRepo: "libs-snapshot-local" },
    },
    getStorageInfo: {
      args: {},
      gives: {
        binariesSummary: expect.objectContaining({ artifactsCount: "7", optimization: "100.00%" }),
        fileStoreSummary: expect.objectContaining({ usedSpace: expect.stringMatching(/^\d+ bytes \(0\.00%\)$/) }),
        repositoriesSummaryList: expect.any(Array),
      },
    },
    listTags: {
      args: { repoKey: "docker-dev-local", image: "meridian/telemetry", n: 1 },
      gives: { tags: ["1.4.0", "1.5.0"] },
    },
    listCatalog: {
      args: { repoKey: "docker-dev-local", n: 1 },
      gives: { repositories: ["meridian/telemetry", "meridian/ui"] },
    },
    promoteImage: {
      args: {
        repoKey: "docker-dev-local",
        targetRepo: "docker-prod-local",
        dockerRepository: "meridian/telemetry",
        tag: "1.5.0",
        targetTag: "stable",
        copy: false,
      },
      gives: "Promotion ended successfully",
      leaves: [
        ({ items }) =>
          Object.keys(items)
            .filter((key) => /1\.5\.0|stable/.test(key))
            .sort(),
        ["docker-prod-local/meridian/telemetry/stable", "docker-prod-local/meridian/telemetry/stable/manifest.json"],
      ],
    },
    listBuilds: {
      args: { buildName: build },
      gives: {
        buildsNumbers: [
          { uri: "/42", started: "2026-09-14T09:30:00.000+0000" },
          { uri: "/41", started: "2026-03-02T09:30:00.000+0000" },
        ],
      },
    },
    getBuild: {
      args: { buildName: build, buildNumber: 42 },
      gives: {
        buildInfo: {
          name: build,
          number: "42",
          started: "2026-09-14T09:30:00.000+0000",
          properties: { "buildInfo.env.JOB_NAME": "telemetry-release" },
        },
      },
    },
    deleteBuilds: {
      args: { buildName: build, buildNumbers: [42], artifacts: true },
      gives: expect.stringContaining("42"),
      leaves: [
        ({ builds, items }) => [
          Object.keys(builds[build] ?? {}),
          telemetryKey in items,
          `auto-trashcan/${telemetryKey}` in items,
        ],
        [["41"], false, true],
      ],
    },
    applyRetention: {
      args: { buildName: build, async: false, count: 1, deleteBuildArtifacts: false, buildNumbersNotToBeDiscarded: [] },
      gives: "",
      leaves: [({ builds }) => Object.keys(builds[build] ?? {}), ["42"]],
    },
    promoteBuild: {
      args: {
        buildName: build,
        buildNumber: "42",
        status: "released",
        ciUser: "ci",
        dryRun: false,
        targetRepo: "libs-snapshot-local",
        copy: true,
        artifacts: true,
        dependencies: false,
        scopes: [],
        properties: { "release.state": ["final"] },
      },
      gives: { messages: [] },
      leaves: [
        ({ builds, items }) => [
          builds[build]?.["42"]?.statuses.map(({ status, ciUser }) => [status, ciUser]),
          items[`libs-snapshot-local/${telemetry.path}`]?.properties["release.state"],
          items[telemetryKey]?.properties["release.state"],
        ],
        [[["released", "ci"]], ["final"], ["candidate"]],
      ],
    },
    deployFile: {
      args: { repoKey: "libs", path: "com/meridian/new/new file+1.jar", file: jar },
      gives: expect.objectContaining({
        repo: "libs-snapshot-local",
        size: 3,
        checksums: expect.objectContaining({ sha256 }),
      }),
      leaves: [({ items }) => items["libs-snapshot-local/com/meridian/new/new file+1.jar"]?.file?.sha256, sha256],
    },
    deployArchive: {
      args: { repoKey: "libs-release-local", path: "site/docs", file: site, atomic: true },
      gives: "",
      leaves: [
        ({ items }) => [
          items["libs-release-local/site/docs/img/a.png"]?.file?.size,
          "libs-release-local/site/docs/index.html" in items,
        ],
        [3, true],
      ],
    },
    deleteItem: {
      args: { repoKey: "libs-release-local", path: "com/meridian/telemetry/2.4" },
      gives: "",
      leaves: [({ items }) => [telemetryKey in items, `auto-trashcan/${telemetryKey}` in items], [false, true]],
    },
    setProperties: {
      args: { ...telemetry, properties: { "release.state": ["a,b|c=d\\e", "ü %7C"], owner: ["jo"] }, recursive: 1 },
      gives: "",
      leaves: [
        ({ items }) => items[telemetryKey]?.properties,
        { "build.number": ["42"], "release.state": ["a,b|c=d\\e", "ü %7C"], owner: ["jo"] },
      ],
    },
    deleteProperties: {
      args: { ...telemetry, properties: ["release.state"] },
      gives: "",
      leaves: [({ items }) => items[telemetryKey]?.properties, { "build.number": ["42"] }],
    },
    cleanTrashItem: {
      args: { repoKey: "libs-snapshot-local", path: "nightly/2025-12-24" },
      gives: expect.any(String),
      leaves: [({ items }) => Object.keys(items).filter((key) => key.includes("2025-12-24")), []],
    },
    cleanTrashBuildInfo: {
      args: { buildInfoRepoKey: "libs-snapshot-local" },
      gives: expect.any(String),
      leaves: [({ items }) => Object.keys(items).filter((key) => key.startsWith("auto-trashcan/")), []],
    },
    emptyTrash: {
      args: {},
      gives: expect.any(String),
      leaves: [({ items }) => Object.keys(items).filter((key) => key.startsWith("auto-trashcan/")), []],
    },
    ...tokenCases,
  };
}
