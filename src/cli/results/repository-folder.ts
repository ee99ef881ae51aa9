import { existsSync, realpathSync, statSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";

/** The path from the root of the repository to a workspace's folder, with slashes; undefined if it is the root or in no repository. */
export function repositoryFolder(workspace: string): string | undefined {
  if (!existsSync(workspace)) return undefined;
  const real = realpathSync(workspace);
  const folder = statSync(real).isDirectory() ? real : dirname(real);
  const root = upwards(folder).find((each) => existsSync(join(each, ".git")));
  const path = root === undefined ? "" : relative(root, folder);
  return path === "" ? undefined : path.split(sep).join("/");
}

function upwards(folder: string): readonly string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...upwards(above)];
}
