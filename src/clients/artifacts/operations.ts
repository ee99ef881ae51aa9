import type { Reader } from "../../core/operation.ts";
import { browseOperations } from "./browse.ts";
import { buildOperations } from "./builds.ts";
import { itemOperations, tokenOperations } from "./items.ts";

/** Operations of the artifact repository (Artifactory). @see docs/api/artifacts.md */
export const artifactsOperations = {
  ...browseOperations,
  ...buildOperations,
  ...itemOperations,
  ...tokenOperations,
} as const;
export type ArtifactsOperations = typeof artifactsOperations;

/** The reading half of the artifact repository's client. */
export type ArtifactsReader = Reader<ArtifactsOperations>;
