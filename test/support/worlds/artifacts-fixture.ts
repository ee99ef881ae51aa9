import { createHash } from "node:crypto";
import { World } from "../../../src/sandbox/world.ts";

/** Returns a stored file with a string as its content. */
export function stored(
  content: string,
  properties: Record<string, string[]> = {},
  created = "2026-01-01T00:00:00.000Z",
) {
  const digest = (algorithm: string) => createHash(algorithm).update(content).digest("hex");
  return {
    created,
    modified: created,
    file: { size: Buffer.byteLength(content), md5: digest("md5"), sha1: digest("sha1"), sha256: digest("sha256") },
    properties,
  };
}

/** Returns a stored folder. */
export function folder(properties: Record<string, string[]> = {}, created = "2026-01-01T00:00:00.000Z") {
  return { created, modified: created, properties };
}

/** Returns a world with items in the repositories `libs` and `old`, which `all` also shows. */
export function artifactsWorld(
  items: Readonly<Record<string, ReturnType<typeof stored> | ReturnType<typeof folder>>>,
): World {
  return World.parse({
    accounts: [
      { username: "admin", name: "Admin", secret: "secret", rights: "admin" },
      { username: "jdoe", name: "Jane", secret: "jdoe-secret", rights: "member" },
    ],
    artifacts: {
      repositories: [
        { key: "libs", type: "LOCAL" },
        { key: "old", type: "LOCAL" },
        { key: "all", type: "VIRTUAL", defaultDeploymentRepo: "libs", members: ["libs", "old"] },
      ],
      items,
    },
  });
}
