import type { World } from "../../../../src/sandbox/world.ts";

export const registered = "global:Registered-Users";

export function lock(
  spec: Readonly<Record<string, unknown>>,
  metadata: Readonly<Record<string, unknown>> = {},
): string {
  return `---\n${JSON.stringify({ kind: "BranchLock", metadata, spec: { project: "platform/core", branch: "release-2.4", ...spec } })}\n`;
}

/** The access without empty sections: the service keeps the heading of one that had an exclusive permission. */
export function accessOf(world: World, project = "platform/core") {
  const sections = Object.entries(world.review.projects[project]?.access ?? {});
  return Object.fromEntries(sections.filter(([, permissions]) => Object.keys(permissions).length > 0));
}

export const block = (force = false) => ({ exclusive: true, rules: [{ group: registered, action: "BLOCK", force }] });
