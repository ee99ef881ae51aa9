import { posix } from "node:path";

/** The path of a place's file, relative to the root of the repository. */
export function repositoryPath(file: string, folder: string | undefined): string {
  return posix.normalize(posix.join(folder ?? "", file));
}
