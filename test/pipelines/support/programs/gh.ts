// Answers as GitHub's command line does, from what the file that HUB names has, as far as the workflows ask.
import { cpSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import type { Kept } from "../kept.ts";

const { HUB = "", GH_TOKEN } = process.env;
const { repository, permissions, pulls, runs, artifacts }: Kept = JSON.parse(readFileSync(HUB, "utf8"));
const text = { type: "string", default: "" } as const;
const { positionals, values } = parseArgs({
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
  const { default: jq } = await import("jq-wasm");
  const [path = "", query = ""] = what.replace(`repos/${repository}/`, "").split("?");
  process.stdout.write(`${await jq.raw(answerTo(path, new URLSearchParams(query)), values.jq, ["-r"])}\n`);
} else {
  need("actions");
  const artifact = artifacts.find((one) => String(one.run) === id && one.name === values.name);
  if (`${command} ${what}` !== "run download" || artifact === undefined || values.repo !== repository)
    throw new Error("no valid artifacts found to download");
  cpSync(artifact.folder, values.dir, { recursive: true });
}
