import { join } from "node:path";
import type { GitEnvironment } from "./git-process.ts";
import { printed } from "./git-ref.ts";
import type { Repository } from "./repository.ts";

/**
 * Returns the user's identity in git, such as `Ada Brandt <ada@example.com>`: from the environment, the repository or the
 * user's own configuration. Undefined if git has none. Includes and commands in configuration files are ignored.
 */
export async function gitIdentity(repository: Repository, env: GitEnvironment): Promise<string | undefined> {
  const home = env.HOME ?? env.USERPROFILE;
  const xdg = env.XDG_CONFIG_HOME ?? (home === undefined ? undefined : join(home, ".config"));
  const own = [
    ...(home === undefined ? [] : [join(home, ".gitconfig")]),
    ...(xdg === undefined ? [] : [join(xdg, "git", "config")]),
  ];
  const places = [["--local"], ...own.map((file) => ["--file", file])];
  const find = async (given: string | undefined, key: string) => {
    if (given !== undefined && given !== "") return given;
    for (const place of places) {
      const found = await printed(repository.run, ["config", ...place, "--no-includes", "--get", key]).catch(() => "");
      if (found !== "") return found;
    }
    return undefined;
  };
  const name = await find(env.GIT_AUTHOR_NAME, "user.name");
  const email = await find(env.GIT_AUTHOR_EMAIL, "user.email");
  if (name === undefined) return email;
  return email === undefined ? name : `${name} <${email}>`;
}
