import { readdir, readFile } from "node:fs/promises";
import { defaultWorld } from "../../../src/sandbox/default-world.ts";
import { World } from "../../../src/sandbox/world.ts";
import type { Manifests } from "../road.ts";

const examples = new URL("../../../examples/kinds/", import.meta.url);

/** Reads the example of a kind, unchanged, with the files that it names. */
export async function exampleOf(kind: string): Promise<Manifests> {
  const names = await readdir(new URL("files/", examples));
  const files = await Promise.all(
    names.map(async (name) => [`manifests/files/${name}`, await readFile(new URL(`files/${name}`, examples), "utf8")]),
  );
  return { now: await readFile(new URL(`${kind}.yaml`, examples), "utf8"), files: Object.fromEntries(files) };
}

/** Returns a world in which everything exists that the examples name. */
export function exampleWorld(): World {
  const world = defaultWorld();
  const started = "2020-01-01T00:00:00.000Z";
  const build = { started };
  const item = { created: started, modified: started, file: { size: 0, sha1: "", sha256: "" } };
  const page = { space: "OPS", body: "<p>old</p>", versions: [{ number: 1, by: "jdoe" }] };
  return World.parse({
    ...world,
    hosting: {
      repositories: ["web-shop", "legacy-portal", "docs"].map((name, id) => ({
        id,
        owner: "northwind",
        name,
        releases: [{ id, tag_name: "v1.0.0", name, author: "admin", created_at: "2026-01-01T00:00:00Z" }],
      })),
    },
    ci: {
      ...world.ci,
      version: "2.462.3",
      jobs: { "firmware/nightly": {}, "firmware/release": { type: "freestyle", config: "<project/>" } },
    },
    analysis: {
      ...world.analysis,
      projects: [{ id: "5", name: "motor-control" }],
      defectTypes: [{ project: "5", code: "UNUSED.FUNC", name: "Function is not used", severity: 4 }],
      builds: [1, 2].map((id) => ({ project: "5", id, name: `nightly-${id}`, date: 0 })),
      issues: [101, 102, 103].map((id) => ({
        project: "5",
        id,
        code: "ABV.GENERAL",
        title: "Buffer overflow",
        severity: 1,
        file: "/a.c",
        builds: ["nightly-1"],
      })),
      users: [{ name: "mgarcia" }, { name: "akim" }],
      groups: [{ name: "firmware" }, { name: "release-board", users: ["mgarcia"] }],
      assignments: [],
    },
    artifacts: {
      repositories: [
        ...world.artifacts.repositories,
        ...["libs-staging", "libs-release", "docker-dev", "docker-prod"].map((key) => ({ key, type: "LOCAL" })),
      ],
      items: {
        ...world.artifacts.items,
        ...Object.fromEntries(
          ["libs-staging/shop/shop-7.war", "docker-dev/northwind/shop/2.4.1/manifest.json"].map((key) => [key, item]),
        ),
      },
      builds: { "web shop": { 7: { ...build, artifacts: ["libs-staging/shop/shop-7.war"] }, 8: build } },
    },
    wiki: {
      pages: Object.fromEntries(["48213", "48214", "48215"].map((id) => [id, { ...page, title: `Page ${id}` }])),
    },
  });
}
