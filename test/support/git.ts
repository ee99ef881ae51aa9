import { execFileSync, spawn } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Runs git in a folder, without any user's or system's configuration. */
export function gitIn(folder: string, ...args: readonly string[]): string {
  return run(folder, `exec git ${args.map(quoted).join(" ")}`);
}

/** Commits a folder as it is, to the branch `main` of a repository in it. */
export function commitAll(folder: string, message: string): void {
  if (!existsSync(join(folder, ".git"))) {
    empty ??= run(tmpdir(), 'cd "$0" && git init --quiet --initial-branch main empty && pwd').trim();
    cpSync(join(empty, "empty/.git"), join(folder, ".git"), { recursive: true });
  }
  run(folder, `git add --all . && git commit --quiet --allow-empty --message ${quoted(message)}`);
}

/** Copies the repository in a folder to a bare one, and makes it the remote `origin`: git would start five processes. */
export function addOrigin(folder: string, bare: string, url = bare): void {
  cpSync(join(folder, ".git"), bare, { recursive: true });
  appendFileSync(join(bare, "config"), "[core]\n\tbare = true\n\tlogAllRefUpdates = false\n");
  const remote = `[remote "origin"]\n\turl = ${url}\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n`;
  appendFileSync(join(folder, ".git/config"), remote);
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** A folder with a repository without commits, which is copied: a copy takes a fraction of the time of `git init`. */
let empty: string | undefined;
let shell: ReturnType<typeof openShell> | undefined;

function run(folder: string, script: string): string {
  shell ??= openShell();
  return shell(`cd ${quoted(folder)} && ${script}`);
}

/**
 * Starts a shell that runs scripts one after the other, and ends with this process. To start git from this process itself would
 * take several times as long as git takes: the system copies the tables of all its memory.
 */
function openShell(): (script: string) => string {
  const isolated = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };
  const names = ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"];
  const named = Object.fromEntries(names.map((name) => [name, "test@example.com"]));
  const folder = mkdtempSync(join(tmpdir(), "setpoint-git-"));
  const place = (name: string) => join(folder, name);
  // What every new repository and clone begins with. Upkeep would cost two more processes per commit, fetch and push, for repositories
  // that are gone within a second.
  for (const name of ["hooks", "info"]) mkdirSync(place(`template/${name}`), { recursive: true });
  // As `setpoint init` has it in .gitignore.
  writeFileSync(place("template/info/exclude"), ".setpoint/\n");
  writeFileSync(place("template/config"), "[maintenance]\n\tauto = false\n[receive]\n\tautogc = false\n");
  const env = { PATH: process.env.PATH, ...isolated, ...named, GIT_TEMPLATE_DIR: place("template") };
  execFileSync("mkfifo", [place("asked"), place("ended")]);
  const loop = `while read -r _; do
      (. "$0/script") </dev/null >"$0/out" 2>"$0/err"
      echo $?
    done <"$0/asked" >"$0/ended"
    rm -r "$0"`;
  spawn("sh", ["-uc", loop, folder], { env, stdio: "ignore" }).unref();
  const [asked, ended] = [openSync(place("asked"), "w"), openSync(place("ended"), "r")];
  return (script) => {
    writeFileSync(place("script"), script);
    writeSync(asked, "\n");
    const code = Buffer.alloc(8);
    if (code.toString("utf8", 0, readSync(ended, code)) === "0\n") return readFileSync(place("out"), "utf8");
    throw new Error(`${script}\n${readFileSync(place("err"), "utf8")}`);
  };
}
