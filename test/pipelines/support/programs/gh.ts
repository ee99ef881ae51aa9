import { cpSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import jq from "jq-wasm";
import type { Asked } from "../../../support/warm/protocol.ts";
import type { Kept } from "../kept.ts";

const text = { type: "string", default: "" } as const;

/** Answers like GitHub's command line, from what a hosting service has, as far as the workflows need. */
export async function gh(
  { args, cwd, env: { GH_TOKEN } }: Asked,
  { repository, pulls, runs, artifacts }: Kept,
  permissions: Readonly<Record<string, string>>,
): Promise<string> {
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { jq: text, repo: text, name: text, dir: text },
  });

  function need(permission: string): void {
    if (GH_TOKEN === undefined) throw new Error("set the GH_TOKEN environment variable");
    if (permissions[permission] === undefined) throw new Error(`Resource not accessible by integration: ${permission}`);
  }

  function answerTo(path: string, asked: URLSearchParams): object {
    const [, commit] = /^commits\/(\w+)\/pulls$/.exec(path) ?? [];
    if (commit !== undefined) {
      need("pull-requests");
      return pulls.filter((pull) => pull.merge_commit_sha === commit);
    }
    need("actions");
    const [, id] = /^actions\/runs\/(\d+)$/.exec(path) ?? [];
    const run = runs.find((one) => String(one.id) === id);
    if (run !== undefined) return run;
    if (path !== "actions/runs") throw new Error(`Not Found (HTTP 404): ${path}`);
    const is = (name: string, value: string) => (asked.get(name) ?? value) === value;
    const found = runs.filter(
      (one) => is("event", one.event) && is("status", one.conclusion) && is("head_sha", one.head_sha),
    );
    return { workflow_runs: found.toReversed() };
  }

  const [command = "", what = "", id = ""] = positionals;
  if (command === "api") {
    const [path = "", query = ""] = what.replace(`repos/${repository}/`, "").split("?");
    return `${await jq.raw(answerTo(path, new URLSearchParams(query)), values.jq, ["-r"])}\n`;
  }
  need("actions");
  const artifact = artifacts.find((one) => String(one.run) === id && one.name === values.name);
  if (`${command} ${what}` !== "run download" || artifact === undefined || values.repo !== repository)
    throw new Error("no valid artifacts found to download");
  cpSync(artifact.folder, resolve(cwd, values.dir), { recursive: true });
  return "";
}
