import type { Basis } from "../../core/run/plan.ts";
import { counted, quote } from "../../core/text/words.ts";
import { gitProblem, succeeds } from "./git-process.ts";
import { appliedRef, baseRefOf, isFullRef, isShallow, objectAt, printed } from "./git-ref.ts";
import type { Repository } from "./repository.ts";

/** Where an apply will record the commit of its manifests. */
export interface Recording {
  readonly ref: string;
  /** The commit of the manifests. */
  readonly commit: string;
  /** What the ref named when the plan was made; "" if it did not exist. */
  readonly before: string;
}

/**
 * Prepares to record the commit at HEAD. Throws `ProblemError` SP5002 if the ref is not a full one; if it is the branch that
 * is checked out, whose files would no longer match it; or if it exists and names neither the base's commit nor HEAD, because what
 * left the manifests since then would be forgotten.
 */
export async function openRecording(
  repository: Repository,
  ref: string,
  baseCommit: string | undefined,
): Promise<Recording> {
  const { run } = repository;
  if (!isFullRef(ref)) throw gitProblem(`${quote(ref)} is not a full ref.`, `Write one such as ${appliedRef}.`);
  const branch = await printed(run, ["symbolic-ref", "--quiet", "HEAD"]).catch(() => "");
  if (branch === ref)
    throw gitProblem(`${quote(ref)} is checked out, so it cannot be moved.`, `Record to ${appliedRef}.`);
  const before = await objectAt(run, ref);
  const commit = await repository.commitOf("HEAD");
  // The ref can name a tag of the commit.
  const last = before === "" ? commit : before === baseCommit ? before : await repository.commitOf(ref);
  if (baseCommit !== last && commit !== last) {
    throw gitProblem(
      `${ref} names what was applied last, ${last.slice(0, 10)}, and the plan would not be compared with it: what has left the manifests since would never be deleted.`,
      `Add --base ${ref === appliedRef ? "applied" : ref}.`,
    );
  }
  return { ref, commit, before };
}

/** Moves the ref, unless it already names the commit. Throws `ProblemError` SP5002 if another apply has moved it elsewhere. */
export async function record({ run }: Repository, { ref, commit, before }: Recording): Promise<void> {
  await run(["update-ref", "--no-deref", ref, commit, before]).catch(async (error: unknown) => {
    const now = await objectAt(run, ref);
    if (now === commit) return;
    if (now === before) throw error;
    throw gitProblem(
      `${ref} was moved to ${now === "" ? "nothing" : now} while this apply ran, so it was left there.`,
      "Plan again with --base applied.",
    );
  });
}

/** The maximum number of subjects that are shown. */
const mostSubjects = 10;

/** Returns the age of a base's commit, and the commits between it and the manifests that concern the folder. */
export async function basisOf({ run, prefix }: Repository, base: string, commit: string, now: Date): Promise<Basis> {
  const [seconds] = (await printed(run, ["rev-list", "--no-walk", "--timestamp", commit])).split(" ");
  const at = new Date(Number(seconds) * 1000);
  const isBefore = await succeeds(run(["merge-base", "--is-ancestor", commit, "HEAD"]));
  const basis = { ref: baseRefOf(base), commit, at: at.toISOString(), age: ageOf(now.getTime() - at.getTime()) };
  const range = `${commit}..HEAD`;
  const shallow = await isShallow(run);
  // What lies between is one line, whatever the clone lacks; but a merged branch can have begun before the base.
  if (!isBefore || (shallow && (await printed(run, ["rev-list", "--merges", "-1", range])) !== "")) {
    return { ...basis, relation: shallow ? "unknown" : "apart", commits: 0, subjects: [] };
  }
  const below = prefix === "" ? [] : ["--", prefix];
  // Other lines name the commits.
  const lines = (await printed(run, ["rev-list", "--format=>%s", range, ...below])).split("\n");
  const subjects = lines.filter((line) => line.startsWith(">")).map((line) => line.slice(1));
  return { ...basis, relation: "before", commits: subjects.length, subjects: subjects.slice(0, mostSubjects) };
}

/** Formats a duration in the largest unit that it fills. */
function ageOf(milliseconds: number): string {
  const units = [
    [86_400_000, "day"],
    [3_600_000, "hour"],
    [60_000, "minute"],
  ] as const;
  const [length, word] = units.find(([one]) => milliseconds >= one) ?? [60_000, "minute"];
  return counted(Math.max(0, Math.floor(milliseconds / length)), word);
}
