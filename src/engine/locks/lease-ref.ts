import { z } from "zod";
import type { Clock } from "../../clients/http/clock.ts";
import { ProblemError } from "../../core/problem.ts";
import { objectOf } from "../../core/readonly.ts";
import { jsonIn } from "../../core/text/json-text.ts";
import { quote } from "../../core/text/words.ts";
import { gitProblem } from "../../manifests/sources/git-process.ts";
import { isFullRef, printed } from "../../manifests/sources/git-ref.ts";
import type { Repository } from "../../manifests/sources/repository.ts";

/** The content of a lease's commit message. Anyone who may push can write one, so every field is bounded and harmless. */
const Lease = objectOf({
  version: z.literal(1),
  /** Unique to this holding, so that two commits of one moment differ. */
  id: z.string().regex(/^[0-9a-f]{16}$/),
  holder: z.string().regex(/^[\p{L}\p{N}][\p{L}\p{N}_.@-]{0,99}$/u),
  run: z.string().regex(/^[0-9A-Za-z][0-9A-Za-z:.-]{0,63}$/),
  since: z.iso.datetime(),
  expires: z.iso.datetime(),
});
export type Lease = z.infer<typeof Lease>;

/** What a ref of the remote points to. `id` is "" if there is no such ref. */
export type FoundLease =
  | { readonly is: "nothing"; readonly id: "" }
  | { readonly is: "lease"; readonly id: string; readonly lease: Lease }
  /** Not a lease that setpoint writes. */
  | { readonly is: "strange"; readonly id: string };

/** A ref of the remote `origin`, and leases as commits. Every function throws `ProblemError` SP5002. */
export interface LeaseRef {
  readonly name: string;
  /** Makes the commit of a lease in the clone only. Returns its id. */
  write(lease: Lease): Promise<string>;
  /** Moves the ref from one commit to another; "" is none. Throws if the remote does not do it, for any reason. */
  swap(from: string, to: string): Promise<void>;
  look(): Promise<FoundLease>;
}

/** Milliseconds to wait for one answer of the remote. */
const patience = 20_000;

/** The largest commit, in bytes, that is read as a lease: more than any has. */
const largest = 4096;

/** The author of lease commits. It is not a person: the message says who holds the lease. */
const author = ["-c", "user.name=setpoint", "-c", "user.email=setpoint@localhost"];

/** Opens the ref of a lease. Throws `ProblemError` SP5002 if it is not a full ref, or the repository has no remote `origin`. */
export async function openLeaseRef(
  { run }: Pick<Repository, "run">,
  name: string,
  clock: Pick<Clock, "wait">,
): Promise<LeaseRef> {
  if (!isFullRef(name)) throw gitProblem(`${quote(name)} is not a full ref.`, "Write one such as refs/setpoint/lease.");
  await run(["config", "--get", "remote.origin.url"]).catch(() => {
    throw gitProblem(
      "The repository has no remote origin, so there is no place for a lease.",
      "git remote add origin …",
    );
  });
  const ask = (args: readonly string[]) => inTime(clock, (signal) => run(args, { remote: true, signal }));
  const textOf = (args: readonly string[], input = "") => printed(run, args, { input });

  /** Returns the id that the remote has, and its lease; undefined if the ref moved to another commit meanwhile. */
  async function lookOnce(): Promise<FoundLease | undefined> {
    const listed = (await ask(["ls-remote", "--refs", "--upload-pack=git-upload-pack", "origin", name])).toString();
    const [id = ""] =
      listed
        .split("\n")
        .find((line) => line.endsWith(`\t${name}`))
        ?.split("\t") ?? [];
    if (id === "") return { is: "nothing", id };
    const only = ["--quiet", "--no-tags", "--no-write-fetch-head", "--refmap=", "--upload-pack=git-upload-pack"];
    await ask(["fetch", ...only, "origin", name]);
    // `<id> <type> <size>`, or `<id> missing`.
    const [, type, size] = (await textOf(["cat-file", "--batch-check"], id)).split(" ");
    if (size === undefined) return undefined;
    const isSmall = Number(size) <= largest;
    const lease = type === "commit" && isSmall ? leaseIn(await textOf(["cat-file", "commit", id])) : undefined;
    return lease === undefined ? { is: "strange", id } : { is: "lease", id, lease };
  }

  return {
    name,
    async write(lease) {
      const tree = await textOf(["mktree"]);
      return textOf([...author, "commit-tree", tree], `setpoint lease\n\n${JSON.stringify(lease)}\n`);
    },
    async swap(from, to) {
      const only = ["--quiet", "--no-signed", "--no-follow-tags", "--no-verify", "--receive-pack=git-receive-pack"];
      await ask(["push", ...only, `--force-with-lease=${name}:${from}`, "origin", `${to}:${name}`]);
    },
    async look() {
      for (let tries = 0; tries < 5; tries++) {
        const found = await lookOnce();
        if (found !== undefined) return found;
      }
      throw gitProblem(`${name} at origin changes faster than it can be read.`);
    },
  };
}

/** Returns the lease in a commit's text, which follows the header and the subject; undefined if there is none. */
function leaseIn(commit: string): Lease | undefined {
  const [, message = ""] = /\n\nsetpoint lease\n\n(.*)$/s.exec(commit) ?? [];
  return Lease.safeParse(jsonIn(message)).data;
}

/** Ends a git command that takes too long: a renewal that hangs would outlive its lease. */
async function inTime<T>(clock: Pick<Clock, "wait">, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const late = new AbortController();
  const answered = new AbortController();
  clock.wait(patience, answered.signal).then(
    () => late.abort(),
    () => undefined,
  );
  try {
    return await ask(late.signal);
  } catch (error) {
    if (late.signal.aborted) throw gitProblem(`The remote origin did not answer within ${patience / 1000} seconds.`);
    throw error;
  } finally {
    answered.abort();
  }
}

/** Returns what went wrong, as a sentence to be used in another message. */
export function wordsOf(error: unknown): string {
  const [problem] = error instanceof ProblemError ? error.problems : [];
  return problem?.message ?? String(error);
}
