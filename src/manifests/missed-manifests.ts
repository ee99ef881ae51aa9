import type { Kind } from "../core/kind.ts";
import { pathPattern } from "../core/text/glob.ts";
import { quote } from "../core/text/words.ts";
import type { FileSource } from "./sources/files.ts";
import type { WorkspaceParts } from "./workspace/read-workspace.ts";
import { otherEnding, readText } from "./yaml/read-text.ts";
import { problemAt, type ReportProblem } from "./yaml/source-text.ts";

/** The maximum number of files to look into: if a wide glob finds more, they are probably not manifests. */
const mostFiles = 100;

/**
 * Reports SP1013 for manifests that no glob finds because they have the other extension, `.yaml` or `.yml`. Unreported,
 * they would be skipped in a run that succeeds.
 */
export async function reportMissed(
  { source, kinds }: { readonly source: FileSource; readonly kinds: ReadonlyMap<string, Kind> },
  { globs }: Pick<WorkspaceParts, "globs">,
  known: ReadonlySet<string>,
  report: ReportProblem,
): Promise<void> {
  const others = globs.flatMap(({ glob, at }) => {
    const other = otherEnding(glob);
    return other === glob ? [] : [{ at, other, matches: pathPattern([other]) }];
  });
  if (others.length === 0) return;
  // Errors in listing folders are already reported.
  const listed = await source.list(others.map(({ other }) => other)).catch(() => []);
  const missed = listed.filter((file) => !known.has(file)).slice(0, mostFiles);
  const texts = await Promise.all(missed.map((file) => readText(source, file).catch(() => undefined)));
  for (const [index, file] of missed.entries()) {
    const [, kind = ""] = /^kind:[ \t]*["']?(\w+)/m.exec(texts[index]?.text ?? "") ?? [];
    const near = others.find(({ matches }) => matches(file));
    if (near === undefined || !kinds.has(kind)) continue;
    const hint = `Rename it, or add the glob ${near.other}.`;
    report(problemAt(near.at, "SP1013", `No glob finds ${quote(file)}, which declares ${kind}.`, { hint }));
  }
}
