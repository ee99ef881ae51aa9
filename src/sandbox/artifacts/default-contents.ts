import type { z } from "zod";
import { fileOf } from "./items.ts";
import type { ArtifactsState } from "./state.ts";

const libraries = "libs-release-local";
const snapshots = "libs-snapshot-local";
const telemetry = `${libraries}/com/meridian/telemetry`;
const image = "docker-dev-local/meridian/telemetry";

/** What the invented company stores: two products with their builds, images, and a little rubbish. */
export const artifactsContents: z.input<typeof ArtifactsState> = {
  repositories: [
    { key: libraries, type: "LOCAL", packageType: "maven" },
    { key: snapshots, type: "LOCAL", packageType: "maven" },
    { key: "docker-dev-local", type: "LOCAL", packageType: "docker" },
    { key: "docker-prod-local", type: "LOCAL", packageType: "docker" },
    { key: "maven-remote", type: "REMOTE", packageType: "maven", url: "https://maven.example.com/releases" },
    {
      key: "libs",
      type: "VIRTUAL",
      packageType: "maven",
      defaultDeploymentRepo: snapshots,
      members: [libraries, snapshots],
    },
  ],
  items: {
    [`${telemetry}/2.3/telemetry-2.3.jar`]: file("telemetry 2.3", "2026-03-02", { "build.number": ["41"] }),
    [`${telemetry}/2.4/telemetry-2.4.jar`]: file("telemetry 2.4", "2026-09-14", {
      "build.number": ["42"],
      "release.state": ["candidate"],
    }),
    [`${snapshots}/com/meridian/core/1.0-SNAPSHOT/core.jar`]: file("core", "2026-09-20"),
    [`${snapshots}/nightly/2026-01-05/report.html`]: file("<h1>Report</h1>", "2026-01-05"),
    [`${image}/1.4.0/manifest.json`]: file("manifest 1.4.0", "2026-08-01"),
    [`${image}/1.5.0/manifest.json`]: file("manifest 1.5.0", "2026-09-01"),
    "docker-dev-local/meridian/ui/0.9.1/manifest.json": file("manifest 0.9.1", "2026-07-01"),
    [`auto-trashcan/${snapshots}/nightly/2025-12-24/report.html`]: file("<h1>Empty</h1>", "2025-12-24"),
  },
  builds: {
    "telemetry release": {
      "41": { started: at("2026-03-02"), artifacts: [`${telemetry}/2.3/telemetry-2.3.jar`] },
      "42": {
        started: at("2026-09-14"),
        properties: { "buildInfo.env.JOB_NAME": "telemetry-release" },
        artifacts: [`${telemetry}/2.4/telemetry-2.4.jar`],
      },
    },
  },
  tokens: [
    {
      token_id: "5d2f8c1e",
      username: "admin",
      scope: "applied-permissions/admin",
      description: "release pipeline",
      issued: at("2026-06-01"),
      expires_in: 0,
    },
  ],
};

function at(day: string): string {
  return `${day}T09:30:00.000Z`;
}

function file(content: string, day: string, properties: Record<string, string[]> = {}) {
  return { created: at(day), modified: at(day), file: fileOf(Buffer.from(content)), properties };
}
