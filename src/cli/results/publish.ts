import { readFile } from "node:fs/promises";
import type { Problem } from "../../core/problem.ts";
import { jsonIn } from "../../core/text/json-text.ts";
import type { PublishTarget } from "../../publishers/publish.ts";
import type { Edition, News } from "../../publishers/publisher.ts";
import { resultJson } from "../../reports/formats/json.ts";
import { neutralJson, neutralText } from "../../reports/neutral.ts";
import { renderProblems } from "../../reports/text/problems.ts";
import type { PlannedRun } from "../../reports/text/summary.ts";
import type { OpenWorkspace } from "../../setpoint.ts";
import type { PublishOptions } from "../options/result-options.ts";
import { notice } from "../terminal/notice.ts";
import type { Output } from "../terminal/output.ts";

/** Publishes one run, from its start to its end. Publishing problems are written to standard error. */
export interface Publishing {
  /** Called before planning. */
  started(): Promise<void>;
  /** Called if there is no plan. */
  wrong(problems: readonly Problem[]): Promise<void>;
  /** Publishes the result. False if it could not be published everywhere. */
  made(subject: PlannedRun): Promise<boolean>;
}

/** Opens the publishing that the command line asks for. */
export function openPublishing(
  command: Edition["command"],
  options: PublishOptions & { readonly environment?: string | undefined },
  workspace: OpenWorkspace,
  output: Output,
): Publishing {
  const at = new Date().toISOString();
  const { publish } = options;

  async function say(targets: readonly PublishTarget[], news: News): Promise<boolean> {
    if (targets.length === 0) return true;
    const { publishAll } = await import("../../publishers/publish.ts");
    const edition = await editionOf(command, at, options, workspace);
    const open = workspace.publishing;
    const published: string[] = [];
    const problems = await publishAll(targets, news, { open, edition, onPublished: (where) => published.push(where) });
    // Which pull request, change or page it was follows from the environment, so that a log should say it.
    if (published.length > 0 && news.is !== "started" && !output.json) notice(`Published: ${published.join(", ")}.`);
    // If publishing fails at the start, it is tried again at the end, and a failure is reported then.
    if (problems.length > 0 && news.is !== "started") tell(problems, output);
    return problems.length === 0;
  }

  async function wrong(problems: readonly Problem[]): Promise<void> {
    await say(publish, { is: "wrong", problems });
  }

  return {
    wrong,
    made: (subject) => say(publish, { is: "made", subject }),
    async started() {
      await say(
        publish.filter(({ as }) => as === "status"),
        { is: "started" },
      );
    },
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
