import type { reviewOperations } from "../clients/review/operations.ts";
import type { CommentRecord } from "../clients/review/records.ts";
import type { ArgsOf } from "../core/operation.ts";
import { canonicalJson, withoutRepeats } from "../core/text/json.ts";
import type { Remark } from "./remarks.ts";

/** A comment of ours and the last reply to it. */
interface Thread {
  readonly path: string;
  readonly first: CommentRecord;
  readonly last: CommentRecord;
}

/** Comments to post on a revision, by path. */
type Comments = NonNullable<ArgsOf<typeof reviewOperations, "setReview">["comments"]>;
type Post = Comments[string][number];

const noLonger = "No longer so.";
const newer = "There is a newer patch set.";

/**
 * The comments to post, by revision number, so that a change shows these remarks of ours and no others. Published comments cannot be deleted, so
 * an outdated one is answered and resolved. A remark is not repeated on the same patch set, even if someone has resolved it.
 */
export function postsFor(
  remarks: readonly Remark[],
  comments: Readonly<Record<string, readonly CommentRecord[]>>,
  revision: number,
  isOurs: (comment: CommentRecord) => boolean,
): ReadonlyMap<number, Comments> {
  const threads = threadsOf(comments, isOurs);
  const here = threads.filter(({ first }) => first.patch_set === revision);
  const said = new Set(here.map(({ path, first }) => sayingOf(path, first)));
  const wanted = new Set(remarks.map((remark) => sayingOf(remark.path, remark)));
  const fresh = withoutRepeats(remarks).filter((remark) => !said.has(sayingOf(remark.path, remark)));
  const stale = here.filter(({ path, first }) => !wanted.has(sayingOf(path, first)));
  // On an earlier patch set only unresolved comments still ask for attention.
  const earlier = threads.filter(({ first, last }) => (first.patch_set ?? revision) < revision && last.unresolved);
  const posts = [
    ...fresh.map(({ path, ...remark }) => ({ revision, path, post: postOf(remark) })),
    ...stale.map((thread) => ({ revision, path: thread.path, post: answer(thread, noLonger) })),
    ...earlier.map((thread) => ({
      revision: thread.first.patch_set ?? revision,
      path: thread.path,
      post: answer(thread, newer),
    })),
  ];
  return new Map(
    [...Map.groupBy(posts, (one) => one.revision)].map(([number, ofRevision]) => {
      const paths = Map.groupBy(ofRevision, ({ path }) => path);
      return [number, Object.fromEntries([...paths].map(([path, ofPath]) => [path, ofPath.map(({ post }) => post)]))];
    }),
  );
}

/** The threads that we started and have not ended. */
function threadsOf(
  comments: Readonly<Record<string, readonly CommentRecord[]>>,
  isOurs: (comment: CommentRecord) => boolean,
): readonly Thread[] {
  const all = Object.entries(comments).flatMap(([path, list]) => list.map((comment) => ({ path, comment })));
  const byId = new Map(all.map(({ comment }) => [comment.id, comment]));
  const firstOf = (comment: CommentRecord): CommentRecord => {
    const seen = new Set([comment.id]);
    let first = comment;
    for (;;) {
      const parent = byId.get(first.in_reply_to ?? "");
      if (parent === undefined || seen.has(parent.id)) return first;
      seen.add(parent.id);
      first = parent;
    }
  };
  const groups = Map.groupBy(all, ({ comment }) => firstOf(comment));
  return [...groups].flatMap(([first, group]) => {
    const last = group.map(({ comment }) => comment).reduce((a, b) => (b.updated > a.updated || a === first ? b : a));
    const isEnded = last !== first && isOurs(last) && (last.message === noLonger || last.message === newer);
    const path = group.find(({ comment }) => comment === first)?.path ?? "";
    return isOurs(first) && !isEnded ? [{ path, first, last }] : [];
  });
}

/** Returns a text that is the same for comments that say the same at the same place. */
function sayingOf(path: string, { line, range, message }: Pick<CommentRecord, "line" | "range" | "message">): string {
  return canonicalJson([path, message?.trim(), range ?? line]);
}

function postOf({ line, range, message, unresolved }: Omit<Post, "in_reply_to">): Post {
  return { ...(range === undefined ? { line } : { range }), message, unresolved };
}

/** An answer, at the same place as the comment. */
function answer({ first: { id, line, range } }: Thread, message: string): Post {
  return { ...postOf({ line, range, message, unresolved: false }), in_reply_to: id };
}
