import { posix } from "node:path";
import type { Problem } from "../core/problem.ts";
import type { Point } from "../core/resource.ts";

/** A place as `manifests/locks.yaml:2`; empty if there is none. */
export function lineText(place: Point | undefined): string {
  return place === undefined ? "" : `${place.file}:${place.line}`;
}

/** A place as `manifests/locks.yaml:2:7`. */
export function pointText(place: Point): string {
  return `${lineText(place)}:${place.column}`;
}

/** Where a problem is: in a file, or in an operation of a service; empty if it does not say. */
export function problemWhere({ place, service, operation }: Pick<Problem, "place" | "service" | "operation">): string {
  if (place !== undefined) return pointText(place);
  return [service, operation].filter((part) => part !== undefined).join(".");
}

/** The path of a place's file, relative to the root of the repository. */
export function repositoryPath(file: string, folder: string | undefined): string {
  return posix.normalize(posix.join(folder ?? "", file));
}
