import type { ReviewReader } from "../../../clients/review/operations.ts";
import { type Change, eventTime, type ObjectEvent } from "../../../core/change.ts";
import { defined } from "../../../core/text/json.ts";

/** The maximum number of commits that are read from one project's configuration. */
const mostCommits = 3;

/** The budget of all kinds of project access, which share the commits that they read. */
export const historyBudget = `at most ${mostCommits} getCommit per project whose rules the service changed`;

/**
 * Reads the newest commits of a project's configuration. They concern the whole project: the service does not say which
 * rule a commit changed.
 * @see docs/facts.md, Review: the revision is a commit
 */
export async function configHistory(
  read: ReviewReader,
  _scope: string,
  [change]: readonly Change<{ readonly project: string }>[],
): Promise<readonly ObjectEvent[]> {
  const projectName = change === undefined ? undefined : projectOf(change);
  const events: ObjectEvent[] = [];
  if (projectName === undefined) return events;
  let { revision: commitId } = await read.getProjectAccess({ projectName });
  while (commitId !== undefined && events.length < mostCommits) {
    const { commit, author, message, parents } = await read.getCommit({ projectName, commitId });
    const by = author.name || author.email || undefined;
    // The date is in UTC, with a space instead of a T.
    const at = eventTime(author.date?.replace(/^(\S+) (\d\d:\d\d:\d\d).*$/, "$1T$2Z"));
    events.push(defined({ what: "configured", name: "project", by, ...at, message: message.trim(), commit }));
    commitId = parents[0]?.commit;
  }
  return events;
}

function projectOf(change: Change<{ readonly project: string }>): string | undefined {
  // Of a check, either side can be absent.
  return (change.action === "delete" ? change.live : (change.desired ?? ("live" in change ? change.live : undefined)))
    ?.project;
}
