import type { Metadata } from "../../../../src/core/resource.ts";
import { type Lab, openLab } from "../../../support/lab.ts";
import { document } from "../../../support/manifest.ts";
import { artifactsWorld } from "../../../support/worlds/artifacts-fixture.ts";

export type Fields = Readonly<Record<string, unknown>>;

export function labWith(items: Parameters<typeof artifactsWorld>[0], options: Parameters<typeof openLab>[0] = {}) {
  return openLab({ world: artifactsWorld(items), ...options });
}

export function item(properties: Fields, more: Fields = {}, metadata: Partial<Metadata> = {}): string {
  return document("ItemProperties", { repo: "libs", path: "a.jar", properties, ...more }, metadata);
}

export function propertiesOf({ sandbox }: Lab, path = "a.jar") {
  return sandbox.state().artifacts.items[`libs/${path}`]?.properties;
}

export const results = (report: Awaited<ReturnType<Lab["apply"]>>) => report.outcomes.map(({ result }) => result);
