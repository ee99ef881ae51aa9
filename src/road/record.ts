import { firstProblem, type Problem, problemsOf, type Wrong } from "../core/problem.ts";
import { leftBy, type Recorded, type Report } from "../core/run/outcome.ts";
import { someOf } from "../core/text/words.ts";
import type { Recording } from "../manifests/sources/applied-ref.ts";
import type { WatchedFiles } from "../manifests/sources/watched-files.ts";
import { isNarrowed, type Selection } from "../planner/selection.ts";
import { overlapProblem } from "./plan.ts";
import type { Road } from "./road.ts";
import type { Planned } from "./types.ts";

/** Prepares to record an apply. Only an apply of everything, from committed files, can be recorded, whatever its result. */
export async function prepareRecord(
  ref: string,
  selection: Selection,
  baseCommit: string | undefined,
  files: WatchedFiles,
  { filesAt, repository }: Pick<Road, "filesAt" | "repository">,
): Promise<{ readonly is: "recording"; readonly recording: Recording } | Wrong> {
  if (isNarrowed(selection)) {
    const message = "--record needs an apply of everything, without --service, --kind, --only and --label.";
    return { is: "wrong", problems: [{ code: "SP5001", message, hint: "Apply everything, or leave --record out." }] };
  }
  const { openRecording } = await import("../manifests/sources/applied-ref.ts");
  try {
    const recording = await openRecording(await repository(), ref, baseCommit);
    const changed = await files.differing(await filesAt(recording.commit));
    return changed.length === 0 ? { is: "recording", recording } : { is: "wrong", problems: [uncommitted(changed)] };
  } catch (error) {
    return { is: "wrong", problems: problemsOf(error) };
  }
}

function uncommitted(files: readonly string[]): Problem {
  return {
    code: "SP5002",
    message: `What would be applied is not in the commit at HEAD, so it cannot be recorded: ${someOf(files, 5)}.`,
    hint: "Commit or restore the files, or apply without --record. If git status shows none, git converts their line ends or encoding: check them out without that (core.autocrlf=false, no eol=crlf).",
  };
}

/** Moves the ref after a complete apply; undefined if the plan was made without `record`. */
export async function recordApplied(
  { plan, recording, early = [] }: Planned,
  report: Report | undefined,
  repository: Road["repository"],
): Promise<Recorded | undefined> {
  if (recording === undefined) return undefined;
  const { ref, commit } = recording;
  if (plan.refusals.length > 0 || leftBy(plan, report).length > 0) return { ref, commit, moved: false };
  if (early.length > 0) return { ref, commit, moved: false, problem: overlapProblem(early) };
  const { record } = await import("../manifests/sources/applied-ref.ts");
  try {
    await record(await repository(), recording);
    return { ref, commit, moved: true };
  } catch (error) {
    return { ref, commit, moved: false, problem: firstProblem(error) };
  }
}
