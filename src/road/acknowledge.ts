import { type Problem, ProblemError, type Wrong } from "../core/problem.ts";
import type { Resource } from "../core/resource.ts";
import { type AcknowledgeRequest, acknowledge } from "../engine/acknowledge.ts";
import { replaceFiles } from "../engine/adopt/rewritten-files.ts";
import { kinds } from "../reconcilers/registry.ts";
import type { Road } from "./road.ts";
import type { Acknowledging } from "./types.ts";

/** Writes an acknowledgement into manifests, in memory. `by` defaults to the git user; SP5001 if there is none. */
export async function acknowledging(
  { addresses, acknowledgement }: AcknowledgeRequest,
  road: Road,
): Promise<Acknowledging | Wrong> {
  const { folder, files, load, now } = road;
  const by = acknowledgement.by ?? (await gitUser(road));
  if (typeof by !== "string") return { is: "wrong", problems: [by] };
  const stated = { addresses, acknowledgement: { ...acknowledgement, by } };
  const done = await acknowledge({ ...stated, kinds, files, load, now: now() });
  if (done.is === "wrong") return done;
  return { ...done, write: () => replaceFiles(folder, done.files) };
}

/** The git user, or the problem that there is none. */
async function gitUser({ repository, env }: Road): Promise<string | Problem> {
  const { gitIdentity } = await import("../manifests/sources/git-identity.ts");
  const unknown = (why: string): Problem => ({
    code: "SP5001",
    message: `git does not know who acknowledges this${why}`,
    hint: "Pass --by, or set user.name with git config.",
  });
  try {
    return (await gitIdentity(await repository(), env)) ?? unknown(".");
  } catch (error) {
    if (error instanceof ProblemError) return unknown(`: ${error.problems[0]?.message ?? ""}`);
    throw error;
  }
}

/** Drops the acknowledgements of resources that the user named: they are adopted all the same. Unnamed ones stay acknowledged. */
export function unquietIf(isNamed: boolean): (resources: readonly Resource[]) => readonly Resource[] {
  if (!isNamed) return (resources) => resources;
  return (resources) =>
    resources.map((resource) => {
      const { acknowledged: _left, ...metadata } = resource.metadata;
      return { ...resource, metadata };
    });
}
