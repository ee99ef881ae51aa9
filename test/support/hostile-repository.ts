import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gitIn } from "./git.ts";

/** A fresh clone in which a hostile pull request is checked out. */
export interface HostileRepository extends AsyncDisposable {
  /** The clone: `main` is honest, HEAD is the pull request. */
  readonly path: string;
  /** The workspace's folder in the clone, which also looks like a bare repository to git. */
  readonly tools: string;
  /** A file outside of the clone, below the folder that holds it. */
  readonly outside: string;
  /** Runs git as the owner of the clone does. */
  git(...args: readonly string[]): string;
  /** Writes a file of the clone. */
  write(path: string, content: string): Promise<void>;
  /** Returns a command that leaves a canary if anything runs it, and prints nothing. */
  canary(name: string): string;
  /** Returns the canaries that were left: the names of the commands that ran. */
  ran(): Promise<readonly string[]>;
}

/** What the honest branch holds, and what the pull request adds or changes, by path. */
export interface HostileContents {
  readonly honest: Readonly<Record<string, string>>;
  readonly hostile?: Readonly<Record<string, string>>;
}

/** An object that no repository has: whatever needs it must ask a remote. */
const missing = "1234567890123456789012345678901234567890";

/**
 * Builds the repository. The pull request adds the parts of a bare repository to `tools/`: a configuration whose remote,
 * hooks, filters, pager and monitors are commands, and a branch `origin/main` that only the remote could answer.
 */
export async function hostileRepository({ honest, hostile = {} }: HostileContents): Promise<HostileRepository> {
  const top = await mkdtemp(join(tmpdir(), "setpoint-hostile-"));
  const [upstream, path, canaries] = [join(top, "upstream"), join(top, "clone"), join(top, "canaries")];
  const outside = join(top, "outside.txt");
  const tools = join(path, "tools");
  const writeIn = async (root: string, files: Readonly<Record<string, string>>) => {
    for (const [file, content] of Object.entries(files)) {
      await mkdir(dirname(join(root, file)), { recursive: true });
      await writeFile(join(root, file), content);
    }
  };
  const canary = (name: string) => join(canaries, "commands", name);
  for (const name of commands) {
    await writeIn(canaries, { [`commands/${name}`]: `#!/bin/sh\ntouch '${join(canaries, "ran", name)}'\nexit 1\n` });
    await chmod(canary(name), 0o755);
  }
  await mkdir(join(canaries, "ran"));
  await writeFile(outside, "outside: true\n");

  await mkdir(upstream);
  await writeIn(upstream, honest);
  gitIn(upstream, "init", "--quiet", "--initial-branch", "main");
  gitIn(upstream, "add", ".");
  gitIn(upstream, "commit", "--quiet", "--message", "Honest");
  gitIn(upstream, "checkout", "--quiet", "-b", "pull");
  await writeIn(upstream, { ...embedded(canary), ...hostile });
  gitIn(upstream, "add", "--force", ".");
  gitIn(upstream, "commit", "--quiet", "--message", "Hostile");
  gitIn(top, "clone", "--quiet", "--branch", "pull", upstream, path);
  return {
    path,
    tools,
    outside,
    canary,
    git: (...args) => gitIn(path, ...args),
    write: (file, content) => writeIn(path, { [file]: content }),
    ran: async () => (await readdir(join(canaries, "ran"))).sort(),
    [Symbol.asyncDispose]: () => rm(top, { recursive: true }),
  };
}

/** The places of git's configuration and environment that name a command. */
const commands = [
  "uploadpack",
  "receivepack",
  "fsmonitor",
  "hook",
  "textconv",
  "diff",
  "filter",
  "pager",
  "ssh",
  "askpass",
  "alias",
  "exec",
] as const;

/** Returns a bare repository as the files of a committed folder. */
function embedded(canary: (name: string) => string): Readonly<Record<string, string>> {
  return {
    "tools/HEAD": "ref: refs/heads/main\n",
    "tools/objects/info/keep": "",
    "tools/refs/heads/main": `${missing}\n`,
    "tools/refs/remotes/origin/main": `${missing}\n`,
    "tools/refs/setpoint/applied": `${missing}\n`,
    "tools/hooks/reference-transaction": `#!/bin/sh\nexec ${canary("hook")}\n`,
    "tools/config": configuration(canary),
    "tools/.gitattributes": "* filter=hostile diff=hostile\n",
  };
}

/** Returns a git configuration in which every command leaves a canary. */
export function configuration(canary: (name: string) => string): string {
  return `[core]
	repositoryformatversion = 1
	fsmonitor = ${canary("fsmonitor")}
	pager = ${canary("pager")}
	sshCommand = ${canary("ssh")}
	askPass = ${canary("askpass")}
[extensions]
	partialClone = origin
[protocol]
	allow = always
[protocol "file"]
	allow = always
[remote "origin"]
	url = .
	promisor = true
	uploadpack = ${canary("uploadpack")}
	receivepack = ${canary("receivepack")}
[filter "hostile"]
	clean = ${canary("filter")}
	smudge = ${canary("filter")}
	process = ${canary("filter")}
	required = true
[diff]
	external = ${canary("diff")}
[diff "hostile"]
	textconv = ${canary("textconv")}
	command = ${canary("diff")}
[alias]
	ls-tree = !${canary("alias")}
`;
}
