import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Case } from "../harness/case.ts";
import { ratio } from "../harness/statistics.ts";
import { used, workspaceFor } from "../harness/workspace.ts";

/** What a pull request costs. */
export const affected: Case = {
  name: "affected",
  title: "A pull request with 3 changed files among 5,000",
  how: "`plan --base main` against `plan --base main --affected`, 20 ms an answer; every file declares one `ActionsPermission`.",
  async prepare(context) {
    const { stdout } = await context.setpoint(["plan", "--help"], { cwd: context.folder });
    if (!stdout.includes("--affected")) return { is: "skipped", why: "this version has no plan --affected" };
    const documents = context.isQuick ? 500 : 5000;
    const service = await context.fake("bench/fake/hosting.ts", "--latency", "20");
    const workspace = workspaceFor(context, { url: service.url, documents, files: documents });
    const git = (...args: readonly string[]) =>
      context.run({
        command: ["git", "-c", "user.name=b", "-c", "user.email=b@b.example", ...args],
        cwd: workspace.cwd,
      });
    await git("init", "--quiet", "--initial-branch=main");
    await git("add", ".");
    await git("commit", "--quiet", "--message=all");
    await git("checkout", "--quiet", "-b", "change");
    for (const file of ["000001", "000002", "000003"]) {
      const path = join(workspace.cwd, `manifests/${file}.yaml`);
      writeFileSync(path, readFileSync(path, "utf8").replace("selected", "all"));
    }
    appendFileSync(join(workspace.cwd, ".git/info/exclude"), ".setpoint/\n");
    await git("commit", "--quiet", "--all", "--message=three");
    const side = (name: string, ...options: readonly string[]) => ({
      name,
      run: () =>
        service.counted(async () => used(await context.setpoint(["plan", "--base", "main", ...options], workspace))),
    });
    return {
      is: "ready",
      rounds: context.isQuick ? 2 : 3,
      sides: [side("plan"), side("plan --affected", "--affected")],
      verdicts: (of) => [
        { what: "requests", value: of("plan --affected", "requests"), unit: "count" },
        {
          what: "time, of the whole plan's",
          value: ratio(of("plan --affected", "wall"), of("plan", "wall")),
          unit: "times",
        },
      ],
    };
  },
};
