import { quote } from "../../core/words.ts";
import { gitProblem } from "./git-process.ts";
import { isFullRef } from "./git-ref.ts";
import type { Repository } from "./repository.ts";

/** Files of a ref that only grow, one commit for each change, without a work tree. */
export interface GitFile {
  /** The text of a file at the ref; empty if it has none. */
  read(file: string): Promise<string>;
  /** Commits a new text, made of the one that is there. */
  change(file: string, make: (text: string) => string): Promise<void>;
}

/** Attempts to move a ref that others move too. */
const mostAttempts = 20;

/** Nobody: a run has no name of its own, and what it saw is in the file. */
const nobody = ["-c", "user.name=setpoint", "-c", "user.email=setpoint@localhost", "-c", "commit.gpgSign=false"];

/**
 * Opens the files of a full ref, such as `refs/setpoint/history`. No checkout and no branch is touched. Throws `ProblemError`
 * SP5002 for a ref that is not full, or is a branch or a tag: those are for people.
 */
export async function openLogRef({ run }: Repository, ref: string): Promise<GitFile> {
  if (!(await isFullRef(run, ref)) || /^refs\/(heads|tags|remotes)\//.test(ref))
    throw gitProblem(
      `A history cannot be kept in ${quote(ref)}.`,
      "Name a full ref of its own, such as refs/setpoint/history.",
    );
  const commitAt = async () => {
    const lines = (await run(["for-each-ref", "--format=%(objectname) %(refname)", ref])).toString().split("\n");
    return lines.find((line) => line.endsWith(` ${ref}`))?.split(" ")[0] ?? "";
  };
  const textAt = async (commit: string, file: string) => {
    if (commit === "") return "";
    const listed = (await run(["ls-tree", "-z", "--name-only", commit, "--", file])).toString();
    return listed === "" ? "" : (await run(["cat-file", "blob", `${commit}:${file}`])).toString();
  };
  return {
    read: async (file) => textAt(await commitAt(), file),
    async change(file, make) {
      for (let attempt = 1; ; attempt++) {
        const before = await commitAt();
        const text = make(await textAt(before, file));
        const blob = (await run(["hash-object", "-w", "--stdin"], { input: text })).toString().trim();
        const listed = before === "" ? "" : (await run(["ls-tree", "-z", before])).toString();
        const others = listed.split("\0").filter((line) => line !== "" && !line.endsWith(`\t${file}`));
        const entries = [...others, `100644 blob ${blob}\t${file}`].map((line) => `${line}\0`).join("");
        const tree = (await run(["mktree", "-z"], { input: entries })).toString().trim();
        const parents = before === "" ? [] : ["-p", before];
        const message = `A run of setpoint: ${file}`;
        const commit = (await run([...nobody, "commit-tree", tree, ...parents, "-m", message])).toString().trim();
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
