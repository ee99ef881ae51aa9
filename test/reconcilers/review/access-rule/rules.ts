import type { Metadata } from "../../../../src/core/resource.ts";
import type { World } from "../../../../src/sandbox/world.ts";
import type { Lab } from "../../../support/lab.ts";
import { document } from "../../../support/manifest.ts";

export const registered = "global:Registered-Users";
export const managers = "Release Managers";
export const managersId = "5f0e6d1c9a7b42388e4d3c2b1a09f8e7d6c5b4a3";
export const main = "refs/heads/main";

export function rule(spec: Readonly<Record<string, unknown>> = {}, metadata: Partial<Metadata> = {}): string {
  const defaults = { project: "platform/core", ref: main, permission: "push", rules: [{ group: registered }] };
  return document("AccessRule", { ...defaults, ...spec }, metadata);
}

export function accessOf(world: World, project = "platform/core") {
  return world.review.projects[project]?.access ?? {};
}

export function results(report: Awaited<ReturnType<Lab["apply"]>>) {
  return report.outcomes.map(({ result }) => result);
}

export const allow = (group: string, force = false) => ({ group, action: "ALLOW", force }) as const;
