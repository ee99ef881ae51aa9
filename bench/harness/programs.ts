import { accessSync, constants } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

/** Where a program is: where the environment variable says, or else on the `PATH`; undefined if it is nowhere. */
export function findProgram(name: string, variable?: string): string | undefined {
  const said = variable === undefined ? undefined : process.env[variable];
  if (said !== undefined) return isAbsolute(said) && isExecutable(said) ? said : undefined;
  return (process.env.PATH ?? "")
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

/** Why a program cannot be run; undefined if it can. */
export function whyMissing(name: string, variable?: string): string | undefined {
  if (findProgram(name, variable) !== undefined) return undefined;
  return variable === undefined
    ? `there is no ${name} on the PATH`
    : `there is no ${name} on the PATH, and ${variable} does not name one by its absolute path`;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
