import type { ReviewReader } from "../../../clients/review/operations.ts";
import type { LeaveOut } from "../../../core/kind.ts";
import { listEach } from "../../shared/left-out.ts";
import { type AccessMarker, readAccess } from "./access.ts";

/**
 * Lists what is in the own access rules of all projects: one list of projects, then their access in bulk. Projects whose
 * rules the account may not read are left out, each as `project:*`.
 */
export async function listAccess<Spec>(
  read: ReviewReader,
  specsIn: (project: string, access: AccessMarker) => readonly Spec[],
  leaveOut: LeaveOut,
): Promise<readonly Spec[]> {
  const projects = Object.keys(await read.listProjects({}));
  const listOne = async (project: string) => specsIn(project, await readAccess(read, project));
  return listEach(projects, (project) => `${project}:*`, listOne, leaveOut);
}
