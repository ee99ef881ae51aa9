import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { type Contexts, filled, holds } from "./expressions.ts";
import { type Ran, runStep } from "./steps.ts";

const Texts = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]).transform(String));

const Step = z.strictObject({
  id: z.string().optional(),
  name: z.string().optional(),
  if: z.string().optional(),
  uses: z.string().optional(),
  run: z.string().optional(),
  shell: z.literal("bash").optional(),
  env: Texts.default({}),
  with: Texts.default({}),
});
type Step = z.infer<typeof Step>;

const Job = z.strictObject({
  needs: z.string().optional(),
  if: z.string().optional(),
  "runs-on": z.string(),
  "timeout-minutes": z.int(),
  environment: z.string().optional(),
  permissions: z.record(z.string(), z.string()).optional(),
  steps: z.array(Step),
});

const Workflow = z.object({
  on: z.record(z.string(), z.unknown()),
  permissions: z.record(z.string(), z.string()),
  concurrency: z.strictObject({ group: z.string(), "cancel-in-progress": z.boolean() }),
  jobs: z.record(z.string(), Job),
});

const Action = z.object({
  inputs: z.record(z.string(), z.object({ default: z.string().optional() })),
  outputs: z.record(z.string(), z.object({ value: z.string() })),
  runs: z.strictObject({ using: z.literal("composite"), steps: z.array(Step) }),
});

/** A job that is about to run. */
export interface JobStart {
  readonly permissions: Readonly<Record<string, string>>;
  readonly environment: string | undefined;
}

/** The tasks that the runner leaves to the hosting service. */
export interface Host {
  /** The machine's variables. */
  readonly env: Readonly<Record<string, string>>;
  /** An empty folder, below which each job has its own. */
  readonly scratch: string;
  /** Returns what every expression in a job can name: `github`, `inputs`, `vars`, `secrets`. */
  contexts(job: JobStart): Contexts;
  /** Returns the variables that every step of a job has. */
  variables(job: JobStart): Readonly<Record<string, string>>;
  checkout(folder: string, options: Readonly<Record<string, string>>, job: JobStart): void;
  upload(name: string, path: string): void;
}

/** The jobs of a workflow that ran, with their steps. `failed`: whether one of them failed. */
export interface RanWorkflow {
  readonly failed: boolean;
  readonly steps: readonly Ran[];
  readonly jobs: readonly string[];
  /** The summaries on the jobs' pages. */
  readonly summary: string;
}

/** Runs a workflow's jobs one after the other, each on its own machine, as GitHub's runner does. */
export async function runWorkflow(file: string, host: Host): Promise<RanWorkflow> {
  const workflow = Workflow.parse(parse(readFileSync(file, "utf8")));
  const steps: Ran[] = [];
  const jobs: string[] = [];
  const lost = new Set<string>();
  let summary = "";
  for (const [name, job] of Object.entries(workflow.jobs)) {
    const start = { permissions: job.permissions ?? workflow.permissions, environment: job.environment };
    if (!holds(job.if, host.contexts(start), job.needs !== undefined && lost.has(job.needs))) continue;
    jobs.push(name);
    const ran = await new JobRun(host, start).all(job.steps);
    if (ran.failed) lost.add(name);
    steps.push(...ran.steps);
    summary += ran.summary;
  }
  return { failed: lost.size > 0, steps, jobs, summary };
}

/** One job on one machine. */
class JobRun {
  readonly #host: Host;
  readonly #start: JobStart;
  readonly #workspace: string;
  readonly #temp: string;
  readonly #ran: Ran[] = [];

  constructor(host: Host, start: JobStart) {
    const folder = mkdtempSync(join(host.scratch, "job-"));
    this.#host = host;
    this.#start = start;
    this.#workspace = join(folder, "work");
    this.#temp = join(folder, "temp");
    mkdirSync(this.#workspace);
    mkdirSync(this.#temp);
    writeFileSync(join(this.#temp, "summary"), "");
  }

  async all(steps: readonly Step[]) {
    const { failed } = await this.#steps(steps, this.#host.contexts(this.#start), {});
    return { failed, steps: this.#ran, summary: readFileSync(join(this.#temp, "summary"), "utf8") };
  }

  async #steps(steps: readonly Step[], given: Contexts, env: Readonly<Record<string, string>>) {
    const done: Record<string, { readonly outputs: Readonly<Record<string, string>>; readonly outcome: string }> = {};
    const contexts = { ...given, runner: { temp: this.#temp }, steps: done };
    let failed = false;
    for (const step of steps) {
      const id = step.id ?? `step ${Object.keys(done).length}`;
      const isRun = holds(step.if, contexts, failed);
      const took = isRun ? await this.#step(step, contexts, env) : { failed: false, outputs: {} };
      done[id] = { outputs: took.outputs, outcome: isRun ? (took.failed ? "failure" : "success") : "skipped" };
      if (took.failed) failed = true;
    }
    return { failed, contexts };
  }

  async #step(step: Step, contexts: Contexts, outer: Readonly<Record<string, string>>) {
    const valued = (texts: Readonly<Record<string, string>>) =>
      Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, filled(text, contexts)]));
    const env = { ...outer, ...valued(step.env) };
    if (step.run !== undefined) return this.#shell(step, filled(step.run, contexts), env);
    const using = step.uses ?? "";
    const given = valued(step.with);
    if (using.startsWith("./"))
      return this.#composite(join(this.#workspace, using, "action.yml"), given, contexts, env);
    switch (/^actions\/([\w-]+)@[0-9a-f]{40}$/.exec(using)?.[1]) {
      case "checkout":
        this.#host.checkout(this.#workspace, given, this.#start);
        break;
      case "setup-node":
        break;
      case "upload-artifact":
        this.#host.upload(given.name ?? "", given.path ?? "");
        break;
      default:
        throw new Error(`Nothing runs ${using}: an action is pinned by its commit, and known.`);
    }
    return { failed: false, outputs: {} };
  }

  /** Runs a local action of the job's checkout. */
  async #composite(
    file: string,
    given: Readonly<Record<string, string>>,
    contexts: Contexts,
    env: Readonly<Record<string, string>>,
  ) {
    const { inputs, outputs, runs } = Action.parse(parse(readFileSync(file, "utf8")));
    const unknown = Object.keys(given).filter((name) => !Object.hasOwn(inputs, name));
    if (unknown.length > 0) throw new Error(`${file} has no input ${unknown.join(", ")}.`);
    const defaults = Object.entries(inputs).map(([name, input]) => [name, input.default ?? ""] as const);
    const { github, runner } = { github: {}, runner: {}, ...contexts };
    // An action sees a secret only through an input or a variable.
    const own = { github, runner, inputs: { ...Object.fromEntries(defaults), ...given } };
    const inner = await this.#steps(runs.steps, own, env);
    const values = Object.entries(outputs).map(([name, { value }]) => [name, filled(value, inner.contexts)]);
    return { failed: inner.failed, outputs: Object.fromEntries(values) };
  }

  async #shell({ id, name, run = "" }: Step, script: string, own: Readonly<Record<string, string>>) {
    const file = (called: string) => join(this.#temp, called);
    writeFileSync(file("output"), "");
    const files = { GITHUB_OUTPUT: file("output"), GITHUB_STEP_SUMMARY: file("summary"), RUNNER_TEMP: this.#temp };
    const env = {
      ...this.#host.env,
      ...this.#host.variables(this.#start),
      GITHUB_WORKSPACE: this.#workspace,
      ...files,
    };
    const step = { name: name ?? id ?? run, run: script, env: own };
    const ran = await runStep(step, { cwd: this.#workspace, env });
    this.#ran.push(ran);
    const lines = readFileSync(file("output"), "utf8")
      .split("\n")
      .filter((line) => line !== "");
    const outputs = lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)] as const);
    return { failed: ran.code !== 0, outputs: Object.fromEntries(outputs) };
  }
}

/** Copies the file or folder that an upload names into a folder. */
export function copyInto(target: string, path: string): void {
  mkdirSync(target, { recursive: true });
  const isFolder = !/\.\w+$/.test(path);
  cpSync(path, isFolder ? target : join(target, path.slice(path.lastIndexOf("/") + 1)), { recursive: true });
}
