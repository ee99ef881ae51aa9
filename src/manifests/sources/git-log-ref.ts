import { quote } from "../../core/text/words.ts";
import { gitProblem } from "./git-process.ts";
import { isFullRef, objectAt, printed } from "./git-ref.ts";
import type { Repository } from "./repository.ts";

/** The place where the files of a history are kept, which only grow. */
export interface HistoryPlace {
  /** Returns the text of a file; empty if the file does not exist. */
  read(file: string): Promise<string>;
  /** Replaces the text of a file with one that `make` derives from it. */
  change(file: string, make: (text: string) => string): Promise<void>;
}

/** The maximum number of attempts to move a ref that others move too. */
const mostAttempts = 20;

/** A placeholder author: a run has no name of its own, and the file says what the run observed. */
const nobody = ["-c", "user.name=setpoint", "-c", "user.email=setpoint@localhost"];

/**
 * Opens the files at a full ref, such as `refs/setpoint/history`: each change is one commit. No checkout and no branch is touched. Throws `ProblemError`
 * SP5002 if the ref is not a full one, or is a branch or a tag, which are reserved for people.
 */
export async function openLogRef({ run }: Repository, ref: string): Promise<HistoryPlace> {
  if (!isFullRef(ref) || /^refs\/(heads|tags|remotes)\//.test(ref))
    throw gitProblem(
      `A history cannot be kept in ${quote(ref)}.`,
      "Name a full ref of its own, such as refs/setpoint/history.",
    );
  const commitAt = () => objectAt(run, ref);
  const filesAt = async (commit: string, file: string) => {
    const listed = commit === "" ? "" : await printed(run, ["ls-tree", "-z", commit]);
    const lines = listed.split("\0").filter(Boolean);
    const others = lines.filter((line) => !line.endsWith(`\t${file}`));
    const isThere = others.length < lines.length;
    return { others, text: isThere ? (await run(["cat-file", "blob", `${commit}:${file}`])).toString() : "" };
  };
  return {
    read: async (file) => (await filesAt(await commitAt(), file)).text,
    async change(file, make) {
      for (let attempt = 1; ; attempt++) {
        const before = await commitAt();
        const { others, text: former } = await filesAt(before, file);
        const blob = await printed(run, ["hash-object", "-w", "--stdin"], { input: make(former) });
        const entries = [...others, `100644 blob ${blob}\t${file}`].map((line) => `${line}\0`).join("");
        const tree = await printed(run, ["mktree", "-z"], { input: entries });
        const parents = before === "" ? [] : ["-p", before];
        const message = `A run of setpoint: ${file}`;
        const commit = await printed(run, [...nobody, "commit-tree", tree, ...parents, "-m", message]);
        const isMoved = await run(["update-ref", "--no-deref", ref, commit, before]).then(
          () => true,
          async (error: unknown) => {
            if (attempt >= mostAttempts || (await commitAt()) === before) throw error;
            return false;
          },
        );
        if (isMoved) return;
      }
    },
  };
}
