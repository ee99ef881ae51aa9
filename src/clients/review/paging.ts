import { ProblemError } from "../../core/problem.ts";
import type { ChangeRecord, ProjectsRecord } from "./records.ts";

interface Paged {
  readonly S?: number | undefined;
}

/**
 * Reads a query's pages until the last change no longer says `_more_changes`. A list that moves under the reading may
 * bring a change twice: it is kept once.
 * @see docs/facts.md, review
 */
export const changePages = { next: nextChanges, join: joinChanges };

/** Reads the list of projects until the last one no longer says `_more_projects`. */
export const projectPages = { next: nextProjects, join: joinProjects };

function nextChanges<Args extends Paged>(args: Args, page: readonly ChangeRecord[]): Args | undefined {
  return page.at(-1)?._more_changes === true ? after(args, page.length) : undefined;
}

function joinChanges(earlier: readonly ChangeRecord[], page: readonly ChangeRecord[]): ChangeRecord[] {
  const known = new Set(earlier.map(({ _number }) => _number));
  const fresh = page.filter(({ _number }) => !known.has(_number));
  if (fresh.length === 0 && page.length > 0) throw repeats();
  return [...earlier.map(({ _more_changes: _mark, ...change }) => change), ...fresh];
}

function nextProjects<Args extends Paged>(args: Args, page: ProjectsRecord): Args | undefined {
  const projects = Object.values(page);
  return projects.some(({ _more_projects }) => _more_projects) ? after(args, projects.length) : undefined;
}

function joinProjects(earlier: ProjectsRecord, page: ProjectsRecord): ProjectsRecord {
  const names = Object.keys(page);
  if (names.length > 0 && names.every((name) => Object.hasOwn(earlier, name))) throw repeats();
  const read = Object.entries(earlier).map(([name, { _more_projects: _mark, ...project }]) => [name, project]);
  return { ...Object.fromEntries(read), ...page };
}

function after<Args extends Paged>(args: Args, length: number): Args {
  return { ...args, S: (args.S ?? 0) + length };
}

function repeats(): ProblemError {
  return new ProblemError({
    code: "SP3104",
    message: "The list does not go on: the service sends the same page again.",
    hint: "What was read is not used. Check what stands between: a proxy or a cache that drops the query.",
  });
}
