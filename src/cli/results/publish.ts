import { readFile } from "node:fs/promises";
import type { Problem } from "../../core/problem.ts";
import { jsonIn } from "../../core/text/json-text.ts";
import type { Edition, News } from "../../publishers/publisher.ts";
import { resultJson } from "../../reports/formats/json.ts";
import { neutralJson, neutralText } from "../../reports/neutral.ts";
import { renderProblems } from "../../reports/text/problems.ts";
import type { OpenWorkspace } from "../../setpoint.ts";
import type { PublishOptions } from "../options/result-options.ts";
import { notice } from "../terminal/notice.ts";
import type { Output } from "../terminal/output.ts";

/**
 * Opens the publishing that the command line asks for: a function that returns false if news could not be published everywhere,
 * with the problems on standard error. That a run has started is published only as a status.
 */
export function openPublishing(
  command: Edition["command"],
  options: PublishOptions & { readonly environment?: string | undefined },
  workspace: OpenWorkspace,
  output: Output,
): (news: News) => Promise<boolean> {
  const at = new Date().toISOString();
  return async (news) => {
    const isStart = news.is === "started";
    const targets = options.publish.filter(({ as }) => !isStart || as === "status");
    if (targets.length === 0) return true;
    const { publishAll } = await import("../../publishers/publish.ts");
    const edition = await editionOf(command, at, options, workspace);
    const published: string[] = [];
    const onPublished = (where: string) => published.push(where);
    const problems = await publishAll(targets, news, { open: workspace.publishing, edition, onPublished });
    // Which pull request, change or page it was follows from the environment, so that a log should say it.
    if (published.length > 0 && !isStart && !output.json) notice(`Published: ${published.join(", ")}.`);
    // If publishing fails at the start, it is tried again at the end, and a failure is reported then.
    if (problems.length > 0 && !isStart) tell(problems, output);
    return problems.length === 0;
  };
}

async function editionOf(
  command: Edition["command"],
  at: string,
  { environment, about }: Parameters<typeof openPublishing>[1],
  workspace: OpenWorkspace,
): Promise<Edition> {
  const { runFacts } = await import("../../publishers/run-facts.ts");
  const { prefix, name } = await workspace.location();
  return {
    command,
    at,
    prefix,
    name: [name, environment ?? ""].filter((part) => part !== "").join(", "),
    facts: runFacts(about, process.env, await eventOf(process.env.GITHUB_EVENT_PATH)),
  };
}

/** The event that started a workflow; undefined without one. */
async function eventOf(path = ""): Promise<unknown> {
  try {
    return jsonIn(await readFile(path, "utf8"));
  } catch {
    return undefined;
  }
}

function tell(problems: readonly Problem[], output: Output): void {
  const text = output.json
    ? neutralJson(JSON.stringify(resultJson({ problems })))
    : neutralText(renderProblems(problems, { ...output, color: false, summary: "Not everything was published." }));
  process.stderr.write(`${text}\n`);
}
