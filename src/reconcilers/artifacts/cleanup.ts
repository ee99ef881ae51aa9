import { z } from "zod";
import type { ArtifactsOperations, ArtifactsReader } from "../../clients/artifacts/operations.ts";
import { type CallOf, callOf } from "../../core/call.ts";
import type { Observation, Writable } from "../../core/change.ts";
import { Duration, milliseconds } from "../../core/duration.ts";
import { namePattern } from "../../core/glob.ts";
import type { Kind } from "../../core/kind.ts";
import { ProblemError } from "../../core/problem.ts";
import { counted } from "../../core/words.ts";
import { type QueriedItem, queryItems, RepositoryKey, serviceMarks } from "./shared/items.ts";

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
      .describe("What is looked at. A folder goes with all that is in it, however new that is."),
    depth: z.int().min(1).optional().describe("Number of names in the path; needed for folders."),
    olderThan: Duration.optional().describe("Only what was created longer ago goes, such as 12h, 30d or 4w."),
    keepNewest: z.int().min(1).optional().describe("So many of those that fit stay, the ones created last."),
    atMost: z
      .int()
      .min(1)
      .default(20)
      .describe("Where more items than this would go none does, and a person has to look."),
  })
  .refine(({ olderThan, keepNewest }) => olderThan !== undefined || keepNewest !== undefined, {
    message: "expected olderThan, keepNewest or both: without them everything would go",
  })
  .refine(({ type, depth }) => type === "file" || depth !== undefined, {
    message: "expected a depth: a folder far up would take everything with it",
    path: ["depth"],
  });

/** `items` cannot be stated: the paths of what exceeds the rule, of which there should be none. */
type Cleanup = z.infer<typeof Cleanup> & { readonly items?: readonly string[] };

/** A rule that old items exceed. The service stores no such rule: it is carried out at every apply. */
export const cleanup: Kind<Cleanup, ArtifactsOperations, undefined> = {
  kind: "Cleanup",
  role: "artifacts",
  summary: "Old files or folders of a repository that are to go.",
  spec: Cleanup,
  budget: { reads: "1 query a rule", writes: "1 deleteItem an item" },
  notes: `The plan lists every item that would go, as \`items\`. Up to \`atMost\` of them are deleted; of more, none, until
a person has looked and raised the limit or narrowed the rule. \`--no-deletes\` refuses a plan in which any would go.
Workspace guards count resources, and a rule is one whatever the number of its items.

Age is counted from the moment of the run to the item's creation. What is deleted lies in the trash, where the service
has one. What a query answers that does not fit the rule makes it unknown. The service keeps no such rules, so there is
nothing to import.`,
  permanent: true,
  key: ({ repo, pathPattern }) => `${repo}:${pathPattern}`,
  // One for all rules of a repository: what two of them let go is deleted once.
  scope: ({ repo }) => `cleanup of ${repo}`,
  normalize: ({ items = [] }) => ({ items }),

  async observe(read, _scope, wanted, now) {
    const rules = new Map(wanted.toReversed().map((rule) => [cleanup.key(rule), rule]));
    return new Map(
      await Promise.all([...rules].map(async ([key, rule]) => [key, await observeRule(read, rule, now)] as const)),
    );
  },

  needsPerson(change) {
    if (change.action !== "update") return undefined;
    const { live, desired } = change;
    const count = live.items?.length ?? 0;
    return count > desired.atMost
      ? `${counted(count, "item")} would go, and the rule lets at most ${desired.atMost} go at once: look at them, then raise \`atMost\` or narrow the rule.`
      : undefined;
  },

  compile: (changes) => deletions(changes),

  risk: () => ["irreversible"],
};

async function observeRule(read: ArtifactsReader, rule: Cleanup, now: Date): Promise<Observation<Cleanup, undefined>> {
  try {
    const items = (await exceeding(read, rule, now)).map(({ path }) => path).sort();
    return { is: "present", spec: { ...rule, items: outermost(items) }, marker: undefined };
  } catch (error) {
    const problem = error instanceof ProblemError ? error.problems[0] : undefined;
    if (problem === undefined) throw error;
    return { is: "unknown", problem };
  }
}

async function exceeding(read: ArtifactsReader, rule: Cleanup, now: Date): Promise<readonly QueriedItem[]> {
  const { repo, pathPattern, type, depth, olderThan, keepNewest = 0 } = rule;
  const before = olderThan === undefined ? now.getTime() : now.getTime() - milliseconds(olderThan);
  const created = { $lt: new Date(before).toISOString() };
  const where = {
    repo,
    type,
    $or: placesOf(pathPattern),
    ...(depth === undefined ? {} : { depth }),
    // The newest can only be told among all.
    ...(keepNewest === 0 ? { created } : {}),
  };
  const found = await queryItems(read, where, ["type", "created"]);
  const fits = namePattern([pathPattern], serviceMarks);
  const stray = found.find(
    (item) =>
      !fits(item.path) ||
      item.type !== type ||
      Number.isNaN(Date.parse(item.created)) ||
      (depth !== undefined && item.path.split("/").length !== depth),
  );
  if (stray !== undefined)
    throw new ProblemError({
      code: "SP3103",
      operation: "query",
      message: `The service's answer holds ${JSON.stringify(stray.path)}, which does not fit the question.`,
    });
  return found
    .toSorted((a, b) => Date.parse(b.created) - Date.parse(a.created) || (a.path < b.path ? -1 : 1))
    .slice(keepNewest)
    .filter((item) => Date.parse(item.created) < before);
}

/**
 * A pattern as folder and name, since queries know no whole path: the name may begin after the last `/`, or within any
 * `*` after it.
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

/** Without what is in one of the other folders. Paths are sorted. */
function outermost(paths: readonly string[]): readonly string[] {
  const all = new Set(paths);
  const parents = (path: string) => path.split("/").map((_name, index, names) => names.slice(0, index).join("/"));
  return [...all].filter((path) => !parents(path).some((parent) => all.has(parent)));
}

/** One deletion for what several rules let go, or what is in a folder that another one lets go. */
function deletions(changes: readonly Writable<Cleanup, undefined>[]): readonly CallOf<ArtifactsOperations>[] {
  const going = changes.flatMap((change) =>
    change.action === "update" ? (change.live.items ?? []).map((path) => ({ path, change })) : [],
  );
  return outermost(going.map(({ path }) => path).sort()).map((path) => {
    const inside = going.filter((item) => item.path === path || item.path.startsWith(`${path}/`));
    const closed = new Set(inside.map(({ change }) => change));
    return call("deleteItem", { repoKey: inside[0]?.change.desired.repo ?? "", path }, [...closed]);
  });
}
