import { posix } from "node:path";

/** The path of a place's file from the repository's root. */
export function repositoryPath(file: string, folder: string | undefined): string {
  return posix.normalize(posix.join(folder ?? "", file));
}
