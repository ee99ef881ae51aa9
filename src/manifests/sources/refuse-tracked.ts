import { realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { hasOnly, ProblemError } from "../../core/problem.ts";
import { type GitEnvironment, gitOutput } from "./git-process.ts";
import { prefixIn, repositoriesAround } from "./repository-place.ts";

/**
 * Throws `ProblemError` SP1017 if git tracks `.setpoint`, as a submodule too, or something in it: a pull request could have made the
 * journals. Where git cannot be asked, nothing is known.
 */
export async function refuseTracked(folder: string, env: GitEnvironment, signal?: AbortSignal): Promise<void> {
  // As the file system spells it, which need not distinguish upper and lower case.
  const real = await realpath(join(folder, ".setpoint"));
  const places = await repositoriesAround(dirname(real)).catch(() => []);
  for (const place of places) {
    const path = `${prefixIn(place, dirname(real))}${basename(real)}`;
    const tracked = await gitOutput(place, env, { signal, args: ["ls-files", "-z", "--", path] }).catch((error) => {
      if (hasOnly(error, "SP5002")) return "";
      throw error;
    });
    if (tracked.length > 0)
      throw new ProblemError({
        code: "SP1017",
        message: `git tracks ${path}, so its journals need not be those of this machine.`,
        hint: `Run git rm -r --cached ${path}, commit that, and add .setpoint/ to .gitignore.`,
      });
  }
}
