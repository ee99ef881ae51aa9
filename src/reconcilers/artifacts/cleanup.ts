import { z } from "zod";
import type { ArtifactsOperations, ArtifactsReader } from "../../clients/artifacts/operations.ts";
import { type CallOf, callOf } from "../../core/call.ts";
import type { Writable } from "../../core/change.ts";
import type { Kind } from "../../core/kind.ts";
import { ProblemError, unlessMissing } from "../../core/problem.ts";
import { Duration, milliseconds } from "../../core/text/duration.ts";
import { namePattern } from "../../core/text/glob.ts";
import { counted, inOrder, quote } from "../../core/text/words.ts";
import { observeEach } from "../shared/told.ts";
import { isMistaken, momentOf, queryItems, RepositoryKey, serviceMarks } from "./shared/items.ts";

const call = callOf<ArtifactsOperations>();

const Cleanup = z
  .strictObject({
    repo: RepositoryKey,
    pathPattern: z
      .string()
      .regex(/^[^/]+(\/[^/]+)*$/, "expected names, or patterns of names, with / between them")
      .describe("Paths in the repository, with `*` for any text, `/` included, and `?` for one character."),
    type: z
      .enum(["file", "folder"])
      .default("file")
      .describe("What the rule deletes. A folder is deleted with all its contents, however new."),
    depth: z.int().min(1).optional().describe("Number of names in the path; required for folders."),
    olderThan: Duration.optional().describe("Delete only items created longer ago than this, such as 12h, 30d or 4w."),
    keepNewest: z.int().min(1).optional().describe("How many of the most recently created matches are kept."),
    atMost: z
      .int()
      .min(1)
      .default(20)
      .describe("If the rule would delete more items than this, it deletes none and needs a person."),
  })
  .refine(({ olderThan, keepNewest }) => olderThan !== undefined || keepNewest !== undefined, {
    message: "expected olderThan, keepNewest or both: without them everything would be deleted",
  })
  .refine(({ type, depth }) => type === "file" || depth !== undefined, {
    message: "expected a depth: deleting a folder near the top deletes everything in it",
    path: ["depth"],
  });

/** `items` is never in a manifest. It has the paths that exceed the rule, and should be empty. */
type Cleanup = z.infer<typeof Cleanup> & { readonly items?: readonly string[] };

/** A rule for deleting old items. The service stores no such rule: every apply enforces it. */
export const cleanup: Kind<Cleanup, ArtifactsOperations, undefined> = {
  kind: "Cleanup",
  role: "artifacts",
  summary: "Deletes old files or folders from a repository.",
  spec: Cleanup,
  budget: { reads: "1 query per rule, and 1 getItem if it finds nothing", writes: "1 deleteItem per item" },
  notes: `The plan lists every item that would be deleted, as \`items\`. If there are more than \`atMost\`, none is deleted
until a person has reviewed them and raised the limit or narrowed the rule. \`--no-deletes\` refuses a plan that would
delete any. Workspace guards count resources, and a rule is one resource however many items it deletes.

\`repo\` is a local repository, or the cache of a remote one, such as \`npm-remote-cache\`: a rule for another one is unknown. Age
is measured from the item's creation to the time of the run. Deleted items go to the trash, if the service has one.
An item with \`!/\` or \`%2B\` in its path is left alone, because the service would delete another one.
A rule is unknown if its query returns items that do not match it. The service stores no such rules, so there is nothing
to import.`,
  permanent: true,
  key: ({ repo, pathPattern }) => `${repo}:${pathPattern}`,
  // One scope for all rules of a repository, so that an item that two of them match is deleted once.
  scope: ({ repo }) => `cleanup of ${repo}`,
  normalize: ({ items = [] }) => ({ items }),

  observe: (read, _scope, wanted, now) =>
    observeEach(wanted, cleanup, async (rule) => {
      const items = outermost(await exceeding(read, rule, now));
      return { is: "present", spec: { ...rule, items }, marker: undefined };
    }),

  needsPerson(change) {
    if (change.action !== "update") return undefined;
    const { live, desired } = change;
    const count = live.items?.length ?? 0;
    return count > desired.atMost
      ? `${counted(count, "item")} would be deleted, but the rule allows at most ${desired.atMost} in one apply: review them, then raise \`atMost\` or narrow the rule.`
      : undefined;
  },

  compile: deletions,

  risk: () => ["irreversible"],
};

async function exceeding(read: ArtifactsReader, rule: Cleanup, now: Date): Promise<readonly string[]> {
  const { repo, pathPattern, type, depth, olderThan, keepNewest = 0 } = rule;
  // @see docs/facts.md, Artifacts: a pattern with `%`
  const queried = pathPattern.replaceAll(/[%^]/g, "?");
  const before = olderThan === undefined ? now.getTime() : now.getTime() - milliseconds(olderThan);
  const created = { $lt: new Date(before).toISOString() };
  const where = {
    repo,
    type,
    $or: placesOf(queried),
    ...(depth === undefined ? {} : { depth }),
    // To find the newest items, all of them are needed.
    ...(keepNewest === 0 ? { created } : {}),
  };
  const found = await queryItems(read, where, ["type", "created"]);
  if (found.length === 0) await requireStorage(read, repo);
  const answers = namePattern([queried], serviceMarks);
  const fits = namePattern([pathPattern], serviceMarks);
  const stray = found.find(
    (item) =>
      item.repo !== repo ||
      !answers(item.path) ||
      item.type !== type ||
      (depth !== undefined && item.path.split("/").length !== depth),
  );
  if (stray !== undefined)
    throw new ProblemError({
      code: "SP3103",
      operation: "query",
      message: `The service's response contains ${quote(`${stray.repo}/${stray.path}`)}, which does not match the query.`,
      hint: storageHint,
    });
  return found
    .filter(({ path }) => fits(path) && !isMistaken(path))
    .map(({ path, created }) => ({ path, moment: momentOf(created) }))
    .sort((a, b) => b.moment - a.moment || inOrder(a.path, b.path))
    .slice(keepNewest)
    .flatMap(({ path, moment }) => (moment < before ? [path] : []));
}

const storageHint = "Name a local repository, or the cache of a remote one, such as npm-remote-cache.";

/**
 * Throws `ProblemError` SP3005 if the service has no such repository, in which a query finds nothing, or none that stores
 * items itself. @see docs/facts.md, Artifacts: a query for a repository that does not exist
 */
async function requireStorage(read: ArtifactsReader, repo: string): Promise<void> {
  // An account that may read only a part of it, or a service that is not asked, gives no other answer than the query's.
  const root = await unlessMissing(read.getItem({ repoKey: repo })).catch(() => ({ repo }));
  // A remote repository answers as its cache.
  if (root !== undefined && (root.repo ?? repo) === repo) return;
  const message = `${quote(repo)} is no repository in which the service stores items.`;
  throw new ProblemError({ code: "SP3005", operation: "getItem", message, hint: storageHint });
}

/**
 * Splits a pattern into folder and name, because queries have no whole path: the name can begin after the last `/`, or
 * within any `*` after it.
 */
function placesOf(pattern: string) {
  const last = pattern.lastIndexOf("/");
  const name = pattern.slice(last + 1);
  const stars = [...name.matchAll(/\*/g)].map(({ index }) => last + 1 + index);
  return [
    { path: condition(last === -1 ? "." : pattern.slice(0, last)), name: condition(name) },
    ...stars.map((at) => ({ path: condition(pattern.slice(0, at + 1)), name: condition(pattern.slice(at)) })),
  ];
}

function condition(pattern: string) {
  return /[*?]/.test(pattern) ? { $match: pattern } : pattern;
}

/** Returns the paths that are not inside another one, each once, sorted. */
function outermost(paths: readonly string[]): readonly string[] {
  const all = new Set(paths);
  const parents = (path: string) => path.split("/").map((_name, index, names) => names.slice(0, index).join("/"));
  return [...all].sort().filter((path) => !parents(path).some((parent) => all.has(parent)));
}

/** Returns the deletions: one for an item that several rules match, and none for an item in a folder that is deleted itself. */
function deletions(changes: readonly Writable<Cleanup, undefined>[]): readonly CallOf<ArtifactsOperations>[] {
  const going = changes.flatMap((change) =>
    change.action === "update" ? (change.live.items ?? []).map((path) => ({ path, change })) : [],
  );
  return outermost(going.map(({ path }) => path)).map((path) => {
    const inside = going.filter((item) => item.path === path || item.path.startsWith(`${path}/`));
    const closed = new Set(inside.map(({ change }) => change));
    return call("deleteItem", { repoKey: inside[0]?.change.desired.repo ?? "", path }, [...closed]);
  });
}
