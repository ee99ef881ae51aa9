import { appendFileSync, cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openLeaseRef } from "../../../src/engine/locks/lease-ref.ts";
import { openRepository, type Repository } from "../../../src/manifests/sources/repository.ts";
import { type Folder, temporaryFolder } from "../../support/commands.ts";
import { commitAll, gitIn } from "../../support/git.ts";
import type { VirtualClock } from "../../support/virtual-clock.ts";
import { ref } from "./leases.ts";

/** A remote without a commit and a clone with one, to be copied: git needs several processes to make each of them. */
interface Made extends Folder {
  /** The empty tree, which the remote has. */
  readonly tree: string;
}

export async function makeRemote(): Promise<Made> {
  const made = await temporaryFolder();
  gitIn(made.path, "init", "--quiet", "--bare", "remote.git");
  const tree = gitIn(join(made.path, "remote.git"), "hash-object", "-t", "tree", "-w", "/dev/null").trim();
  await made.write("clone/setpoint.yaml", "version: 1\n");
  commitAll(join(made.path, "clone"), "One");
  return { ...made, tree };
}

/** A remote with clones of it, as on several machines. */
export async function copyOf(made: Made) {
  const folder = await temporaryFolder();
  const bare = join(folder.path, "remote.git");
  cpSync(join(made.path, "remote.git"), bare, { recursive: true });
  let clones = 0;
  async function clone(): Promise<Repository> {
    const path = join(folder.path, `clone-${clones++}`);
    cpSync(join(made.path, "clone"), path, { recursive: true });
    appendFileSync(join(path, ".git/config"), `[remote "origin"]\n\turl = file://${bare}\n`);
    return openRepository(path, "setpoint.yaml", { PATH: process.env.PATH });
  }
  return {
    bare,
    clone,
    /** The lease ref of a clone of its own. */
    place: async (clock: VirtualClock) => openLeaseRef(await clone(), ref, clock),
    id: () => gitIn(bare, "for-each-ref", "--format=%(objectname)", ref).trim(),
    message: () => gitIn(bare, "log", "-1", "--format=%B", ref),
    /** Puts a commit with any message at the ref. */
    put(message: string): string {
      writeFileSync(join(folder.path, "message"), message);
      const id = gitIn(bare, "commit-tree", made.tree, "-F", join(folder.path, "message")).trim();
      gitIn(bare, "update-ref", ref, id);
      return id;
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}
