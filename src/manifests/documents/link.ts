import { posix } from "node:path";
import type { Kind } from "../../core/kind.ts";
import { type Problem, ProblemError } from "../../core/problem.ts";
import { placeOf, type ReportProblem, sourceText } from "../yaml/source-text.ts";
import type { Placed } from "./conflicts.ts";
import { type Inlined, placed } from "./inline.ts";

/** A resource with its kind and the files that it is made of, whose paths are relative to its manifest. */
export interface Linkable extends Placed {
  readonly kind: Kind;
  readonly contents: Inlined["contents"];
}

/** The resources with links to files replaced, as their kinds do it. Reports what kinds throw; what is wrong is left out. */
export function linked(all: readonly Linkable[], report: ReportProblem): readonly Linkable[] {
  const madeOf = Map.groupBy(
    all.flatMap((one) => [...one.contents.keys()].map((path) => ({ file: fileKey(one, path), one }))),
    ({ file }) => file,
  );
  return all.flatMap((one) => {
    const { kind, resource } = one;
    if (kind.link === undefined) return [one];
    try {
      const specsOf = (path: string) => (madeOf.get(fileKey(one, path)) ?? []).map((other) => other.one.resource.spec);
      return [{ ...one, resource: { ...resource, spec: kind.link(resource.spec, specsOf) } }];
    } catch (error) {
      const mistake = placed(error, one.at);
      if (!(mistake instanceof ProblemError)) throw mistake;
      for (const problem of mistake.problems) report(located(problem, one));
      return [];
    }
  });
}

/** The name of a file among those of one kind and service. */
function fileKey(one: Linkable, path: string): string {
  const { service, kind } = one.resource;
  return JSON.stringify([service, kind, besideManifest(one, path)]);
}

function besideManifest({ at }: Linkable, path: string): string {
  return posix.join(posix.dirname(at.source.file), path);
}

/** A problem in a file that the resource is made of, with the file's path in the workspace and the line itself. */
function located(problem: Problem, one: Linkable): Problem {
  const { place } = problem;
  const text = place === undefined ? undefined : one.contents.get(place.file);
  if (place === undefined || text === undefined) return problem;
  const source = sourceText(besideManifest(one, place.file), text);
  const start = (source.lineStarts()[place.line - 1] ?? 0) + place.column - 1;
  return { ...problem, place: placeOf({ source, start, end: start + (place.length ?? 1) }) };
}
