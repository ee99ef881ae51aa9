import { join } from "node:path";
import { type WorkspaceSize, writeWorkspace } from "../fake/workspace.ts";
import type { Context } from "./case.ts";
import type { Finished } from "./process.ts";
import type { Sample } from "./sample.ts";

/** How many requests are under way at once wherever something is compared. */
export const concurrency = 16;

/** What tools sign in with; the services for benchmarks take anything. */
export const token = "token-for-benchmarks";

/** A folder with a workspace, and the environment in which a command has its credentials. */
export interface Workspace {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Writes a workspace of workflow permissions for a service. */
export function workspaceFor(
  { folder }: Pick<Context, "folder">,
  { url, documents, files = Math.ceil(documents / 1000), byPeople }: WorkspaceSettings,
): Workspace {
  const cwd = join(folder, `workspace-${documents}-in-${files}-${new URL(url).port}`);
  writeWorkspace(cwd, { documents, files, url, byPeople });
  return { cwd, env: { SETPOINT_HOSTING_TOKEN: token, SETPOINT_HOSTING_URL: url } };
}

interface WorkspaceSettings extends Omit<WorkspaceSize, "files"> {
  readonly files?: number;
}

/** The figures of a program without its output. */
export function used({ wall, processor, memory }: Finished): Sample {
  return { wall, processor, memory };
}
