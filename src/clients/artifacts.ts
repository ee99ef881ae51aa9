import type { Reader } from "../core/operation.ts";
import { browseOperations } from "./artifacts-browse.ts";
import { buildOperations } from "./artifacts-builds.ts";
import { itemOperations, tokenOperations } from "./artifacts-items.ts";

/** Operations of the artifact repository (Artifactory). @see artifact-repository.md */
export const artifactsOperations = {
  ...browseOperations,
  ...buildOperations,
  ...itemOperations,
  ...tokenOperations,
} as const;

/** The reading half of the artifact repository's client. */
export type ArtifactsReader = Reader<typeof artifactsOperations>;
