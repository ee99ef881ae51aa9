import type { ProblemError } from "../../core/problem.ts";
import { quote } from "../../core/text/words.ts";
import { gitProblem } from "./git-process.ts";

/** The ref that `--record` moves and `--base applied` reads. */
export const appliedRef = "refs/setpoint/applied";

/** Returns the ref that a base names. `applied` is setpoint's own: a branch or tag of that name is ignored. */
export function baseRefOf(base: string): string {
  return base === "applied" ? appliedRef : base;
}

type Run = (args: readonly string[]) => Promise<Buffer>;

/** Whether a name is a full ref, such as `refs/setpoint/applied`. */
export async function isFullRef(run: Run, name: string): Promise<boolean> {
  if (!/^refs\/[^/]+\/./.test(name)) return false;
  return run(["check-ref-format", name]).then(
    () => true,
    () => false,
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
export async function commitOf(run: Run, base: string): Promise<string> {
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
  const commit = await run(["rev-parse", "--verify", "--end-of-options", `${first.object}${steps}^{commit}`]).catch(
    async () => {
      const isThere = await run(["cat-file", "-e", first.object]).then(
        () => true,
        () => first.name === first.object,
      );
      if (isThere) throw await unknown(run, ref);
      throw gitProblem(
        `The clone lacks ${first.object}, which ${first.name} names.`,
        "Clone again. If .git/objects/info/alternates names a repository, it must exist too.",
      );
    },
  );
  return commit.toString().trim();
}

interface Meaning {
  readonly name: string;
  /** The id of an object. */
  readonly object: string;
}

/** Returns everything that a name can mean. A full id means only itself. */
async function meanings(run: Run, name: string): Promise<readonly Meaning[]> {
  if (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i.test(name)) return [{ name, object: name }];
  if (name === "HEAD") {
    const head = await run(["show-ref", "--verify", "--hash", "HEAD"]).catch(() => undefined);
    return head === undefined ? [] : [{ name, object: head.toString().trim() }];
  }
  const wanted = name.startsWith("refs/")
    ? [name]
    : [`refs/remotes/${name}`, `refs/heads/${name}`, `refs/tags/${name}`, `refs/remotes/${name}/HEAD`];
  const listed = await run(["for-each-ref", "--format=%(refname)%00%(objectname)", ...wanted]);
  const lines = listed
    .toString()
    .split("\n")
    .map((line) => line.split("\0"));
  // The pattern of a branch also matches branches below its name.
  const refs = wanted.flatMap((one) =>
    lines.flatMap(([found, object = ""]) => (found === one ? [{ name: one, object }] : [])),
  );
  return [...refs, ...(await abbreviated(run, name))];
}

/** Returns the commits whose id begins with a name. */
async function abbreviated(run: Run, name: string): Promise<readonly Meaning[]> {
  if (!/^[0-9a-f]{7,63}$/i.test(name)) return [];
  const objects = (await run(["rev-parse", `--disambiguate=${name}`])).toString().split("\n").filter(Boolean);
  const types = await Promise.all(
    objects.map(async (object) => ({ object, type: (await run(["cat-file", "-t", object])).toString().trim() })),
  );
  return types.flatMap(({ object, type }) => (type === "commit" ? [{ name: object, object }] : []));
}

/** Returns the error for an unknown ref, which says what to fetch: a clone might not have all refs, or all ancestors. */
async function unknown(run: Run, ref: string): Promise<ProblemError> {
  const isShallow = (await run(["rev-parse", "--is-shallow-repository"])).toString().trim() === "true";
  const remotes = (await run(["config", "--get-regexp", "--name-only", "^remote\\..*\\.url$"]).catch(() => Buffer.of()))
    .toString()
    .split("\n")
    .map((line) => line.slice("remote.".length, -".url".length));
  const remote = remotes.find((one) => one !== "" && ref.replace(/^refs\/remotes\//, "").startsWith(`${one}/`));
  const branch = remote && ref.replace(/^refs\/remotes\//, "").slice(remote.length + 1);
  if (ref.startsWith("refs/setpoint/")) {
    return gitProblem(
      `The clone has no ${ref}.`,
      `Fetch it: git fetch origin ${ref}:${ref}. If nothing was recorded yet, apply once without --base and with --record.`,
    );
  }
  const message = `${quote(ref)} is not a git ref${isShallow ? " of this clone, which is shallow" : ""}.`;
  if (remote !== undefined && branch !== undefined && !/[~^]/.test(branch))
    return gitProblem(message, `Fetch it: git fetch ${remote} ${branch}:refs/remotes/${remote}/${branch}.`);
  if (isShallow) return gitProblem(message, "Fetch the history: git fetch --unshallow origin.");
  return gitProblem(message, "Name a commit, a branch or a tag that was fetched.");
}
