import type { ProblemError } from "../../core/problem.ts";
import { isRefName } from "../../core/text/ref-pattern.ts";
import { quote } from "../../core/text/words.ts";
import { gitProblem, type RunGit, succeeds } from "./git-process.ts";

/** The ref that `--record` moves and `--base applied` reads. */
export const appliedRef = "refs/setpoint/applied";

/** Returns the ref that a base names. `applied` is setpoint's own: a branch or tag of that name is ignored. */
export function baseRefOf(base: string): string {
  return base === "applied" ? appliedRef : base;
}

/** Runs git and returns the text that it prints, without the line break at the end. */
export async function printed(run: RunGit, ...call: Parameters<RunGit>): Promise<string> {
  return (await run(...call)).toString().trim();
}

/** Whether a name is a full ref, such as `refs/setpoint/applied`. */
export function isFullRef(name: string): boolean {
  return /^refs\/[^/]+\/./.test(name) && isRefName(name);
}

/** Whether the clone lacks older commits. */
export async function isShallow(run: RunGit): Promise<boolean> {
  return (await printed(run, ["rev-parse", "--is-shallow-repository"])) === "true";
}

/** Returns the id of the object that a full ref names; "" if there is no such ref. */
export async function objectAt(run: RunGit, ref: string): Promise<string> {
  return (await objectsAt(run, [ref])).get(ref) ?? "";
}

/** Returns the ids of objects by the full refs that name them, which include all refs below the given ones. */
async function objectsAt(run: RunGit, refs: readonly string[], more = ""): Promise<ReadonlyMap<string, string>> {
  const listed = await printed(run, ["for-each-ref", `--format=%(refname) %(objectname)${more}`, ...refs]);
  return new Map(
    listed.split("\n").map((line) => {
      const at = line.indexOf(" ");
      return [line.slice(0, at), line.slice(at + 1)];
    }),
  );
}

/** A name that git allows for a ref, or an id, followed by steps to ancestors, such as `~2` or `^`. */
const form = /^(?<name>[^\s~^:?*[\\\p{Cc}]+)(?<steps>(?:[~^]\d{0,9})*)$/u;

/**
 * Returns the commit that a ref names: a full ref, a branch, a remote branch, a tag, HEAD or the id of a commit with at
 * least 7 digits, and its ancestors. git takes the first of several meanings of a name, and can search commits for text. A
 * pull request could bring a tag `origin/main`, or the text. So a name that means several commits is refused, and so is any
 * other form. Throws `ProblemError` SP5002.
 */
export async function commitOf(run: RunGit, base: string): Promise<string> {
  const ref = baseRefOf(base);
  const { name = "", steps = "" } = form.exec(ref)?.groups ?? {};
  if (name === "" || /^[-/@]|\.\.|@\{|\/\/|[/.]$/.test(name)) {
    throw gitProblem(
      `${quote(ref)} is not a git ref that can be named here.`,
      "Name a branch, a tag, a full ref, the id of a commit, or an ancestor such as main~2.",
    );
  }
  const meant = await meanings(run, name);
  const [first, second] = meant;
  if (first === undefined) throw await unknown(run, ref);
  if (second !== undefined && new Set(meant.map(({ object }) => object)).size > 1) {
    throw gitProblem(
      `${quote(ref)} means several commits: ${meant.map((one) => one.name).join(", ")}.`,
      `Write it in full, such as ${first.name}.`,
    );
  }
  const { name: meaning, object, isCommit = false } = first;
  if (isCommit && steps === "") return object;
  return printed(run, ["rev-parse", "--verify", "--end-of-options", `${object}${steps}^{commit}`]).catch(async () => {
    if (meaning === object || (await succeeds(run(["cat-file", "-e", object])))) throw await unknown(run, ref);
    throw gitProblem(
      `The clone lacks ${object}, which ${meaning} names.`,
      "Clone again. If .git/objects/info/alternates names a repository, it must exist too.",
    );
  });
}

interface Meaning {
  readonly name: string;
  /** The id of an object. */
  readonly object: string;
  /** Whether it is known to be a commit that the clone has. */
  readonly isCommit?: boolean;
}

/** Returns everything that a name can mean. A full id means only itself. */
async function meanings(run: RunGit, name: string): Promise<readonly Meaning[]> {
  if (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i.test(name)) return [{ name, object: name }];
  if (name === "HEAD") {
    const head = await printed(run, ["show-ref", "--verify", "--hash", "HEAD"]).catch(() => undefined);
    return head === undefined ? [] : [{ name, object: head, isCommit: true }];
  }
  const wanted = name.startsWith("refs/")
    ? [name]
    : [`refs/remotes/${name}`, `refs/heads/${name}`, `refs/tags/${name}`, `refs/remotes/${name}/HEAD`];
  // Their types are unknown if the clone lacks one of them.
  const objects = await objectsAt(run, wanted, " %(objecttype)").catch(() => objectsAt(run, wanted));
  const refs = wanted.flatMap((ref) => {
    const [object, type] = objects.get(ref)?.split(" ") ?? [];
    return object === undefined ? [] : [{ name: ref, object, isCommit: type === "commit" }];
  });
  return [...refs, ...(await abbreviated(run, name))];
}

/** Returns the commits whose id begins with a name. */
async function abbreviated(run: RunGit, name: string): Promise<readonly Meaning[]> {
  if (!/^[0-9a-f]{7,63}$/i.test(name)) return [];
  const objects = (await printed(run, ["rev-parse", `--disambiguate=${name}`])).split("\n").filter(Boolean);
  const types = await Promise.all(objects.map((object) => printed(run, ["cat-file", "-t", object])));
  return objects.filter((_object, index) => types[index] === "commit").map((object) => ({ name: object, object }));
}

/** Returns the error for an unknown ref, which says what to fetch: a clone might not have all refs, or all ancestors. */
async function unknown(run: RunGit, ref: string): Promise<ProblemError> {
  const shallow = await isShallow(run);
  const urls = await printed(run, ["config", "--get-regexp", "--name-only", "^remote\\..*\\.url$"]).catch(() => "");
  const remotes = urls.split("\n").map((line) => line.slice("remote.".length, -".url".length));
  const short = ref.replace(/^refs\/remotes\//, "");
  const remote = remotes.find((one) => one !== "" && short.startsWith(`${one}/`));
  const branch = remote && short.slice(remote.length + 1);
  if (ref.startsWith("refs/setpoint/")) {
    return gitProblem(
      `The clone has no ${ref}.`,
      `Fetch it: git fetch origin ${ref}:${ref}. If nothing was recorded yet, apply once without --base and with --record.`,
    );
  }
  const message = `${quote(ref)} is not a git ref${shallow ? " of this clone, which is shallow" : ""}.`;
  if (remote !== undefined && branch !== undefined && !/[~^]/.test(branch))
    return gitProblem(message, `Fetch it: git fetch ${remote} ${branch}:refs/remotes/${remote}/${branch}.`);
  if (shallow) return gitProblem(message, "Fetch the history: git fetch --unshallow origin.");
  return gitProblem(message, "Name a commit, a branch or a tag that was fetched.");
}
