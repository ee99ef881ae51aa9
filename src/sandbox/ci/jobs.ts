import { z } from "zod";
import { own } from "../../core/text/json.ts";
import { jsonIn } from "../../core/text/json-text.ts";
import { compareVersions } from "../../core/text/version.ts";
import { readDocument } from "../../core/text/xml.ts";
import { isAdmin } from "../accounts.ts";
import type { Answered, Answers, Asked } from "../exchange.ts";
import { replace } from "../lists.ts";
import { found, foundIn, notModelled, Refusal } from "../refusal.ts";
import { requireAdministrator, requireReader } from "./access.ts";
import { isBuildable, jobUrl, nextNumber, spelt, viewBuild, viewJob } from "./job-view.ts";
import { aborted, type CiBuild, type CiJob, type CiState, isBusy, restarted } from "./state.ts";
import { selectTree } from "./tree.ts";
import { selectXPath, xmlElement, xmlText } from "./xml.ts";

const shownByDefault = "*,jobs[name,url,color],builds[number,url],firstBuild[number,url],lastBuild[number,url]";

export const jobAnswers = {
  getJob(asked) {
    const { state, base, params, query } = asked;
    requireShallow(asked);
    const view = viewJob(state, params.job ?? "", base);
    return { body: selectTree(view, query.get("tree") ?? shownByDefault) };
  },

  getBuildParameters(asked) {
    requireShallow(asked);
    const { job, build } = requireBuild(asked);
    const view = viewBuild(job, build, buildUrl(asked));
    return { body: selectTree(view, asked.query.get("tree") ?? "*,actions[*,parameters[*]]") };
  },

  getBuildXml(asked) {
    const { job, build } = requireBuild(asked);
    const root = xmlElement(
      job.type === "pipeline" ? "workflowRun" : "freeStyleBuild",
      viewBuild(job, build, buildUrl(asked)),
    );
    const xpath = asked.query.get("xpath");
    return {
      body: xmlText(xpath === null ? root : selectXPath(root, xpath)),
      headers: { "content-type": "application/xml;charset=utf-8" },
    };
  },

  buildJob(asked) {
    const job = requireBuildable(asked);
    const form = new URLSearchParams(asked.body).get("json");
    if (job.parameters.length === 0) return enqueue(asked, job, {});
    if (form === null) throw new Refusal(400, "Nothing is submitted");
    const given = new Map(readForm(form).parameter.map(({ name, value }) => [name, value]));
    const unknown = [...given.keys()].find((name) => !job.parameters.some((one) => one.name === name));
    if (unknown !== undefined) throw illegal(`No such parameter definition: ${unknown}`);
    const submitted = job.parameters.filter(({ name }) => given.has(name));
    const parameters = parametersOf(submitted, (name) => given.get(name));
    return enqueue(asked, job, parameters);
  },

  buildJobWithParameters(asked) {
    const job = requireBuildable(asked);
    if (job.parameters.length === 0) throw notParameterized(asked);
    const form = new URLSearchParams([...asked.query, ...new URLSearchParams(asked.body)]);
    const option = ["cause", "delay", "token"].find((name) => form.has(name));
    if (option !== undefined) throw notModelled(`${option} of a build`);
    const parameters = parametersOf(job.parameters, (name) => {
      const values = form.getAll(name);
      if (values.length > 1) throw illegal(`Illegal number of parameter values for ${name}: ${values.length}`);
      return values[0];
    });
    return enqueue(asked, job, parameters);
  },

  stopBuild: endBuild,
  terminateBuild: (asked) => endPipeline(asked, "term"),
  killBuild: (asked) => endPipeline(asked, "kill"),

  /** Masks the secrets for users who may not configure the job. @see docs/facts.md, CI: `********` in place of secrets */
  getJobConfig(asked) {
    const { config } = requireJob(asked);
    requireReader(asked, "Job/ExtendedRead");
    const body = isAdmin(asked.account) ? config : config.replace(/>\{[\w+/]+={0,2}\}</g, ">********<");
    return { body, headers: { "content-type": "application/xml" } };
  },

  /** Stores the document as posted, except for its declaration. @see docs/facts.md, CI: `config.xml` is core */
  updateJobConfig(asked) {
    const job = requireJob(asked);
    requireAdministrator(asked, "Job/Configure");
    const reading = readDocument(asked.body, "1.0");
    if (reading.is === "malformed") throw new Refusal(500, `Failed to persist config.xml: ${reading.mistake}`);
    const present = readDocument(job.config);
    if (present.is === "read" && reading.root.name !== present.root.name)
      throw new Refusal(
        500,
        `java.io.IOException: Expecting ${present.root.name} but got ${reading.root.name} instead`,
      );
    const declaration = /^\s*<\?xml\s[^>]*>/;
    const version = /\sversion=["']1\.1/.test(declaration.exec(asked.body)?.[0] ?? "") ? "1.1" : "1.0";
    const config = `<?xml version="${version}" encoding="UTF-8"?>${asked.body.replace(declaration, "").trim()}`;
    return { body: "", headers: { "content-type": "text/html" }, changes: withJob(asked, { ...job, config }) };
  },
} satisfies Answers<CiState>;

const BuildForm = z.object({
  parameter: z.array(z.object({ name: z.string(), value: z.union([z.string(), z.boolean(), z.number()]) })),
});

/** Returns the refusal for a form error that the server does not check for: a page with status 500. */
function illegal(mistake: string): Refusal {
  return new Refusal(500, `java.lang.IllegalArgumentException: ${mistake}`);
}

/** Parses the form of a build page. Throws `Refusal` 400. */
function readForm(text: string): z.infer<typeof BuildForm> {
  const { data } = BuildForm.safeParse(jsonIn(text));
  if (data === undefined) throw new Refusal(400, "This page expects a form submission");
  return data;
}

/** Returns the parameters of a build: the given values, otherwise the defaults. Throws `Refusal` 400. */
function parametersOf(
  definitions: CiJob["parameters"],
  givenTo: (name: string) => string | boolean | number | undefined,
) {
  const parameters = definitions.map(({ name, default: value, choices }) => {
    const given = givenTo(name);
    if (given !== undefined && choices !== undefined && !choices.includes(String(given)))
      throw new Refusal(400, `Illegal choice for parameter ${name}: ${given}`);
    if (given === undefined) return [name, value] as const;
    return [name, typeof value === "boolean" ? String(given) === "true" : String(given)] as const;
  });
  return Object.fromEntries(parameters);
}

function requireJob(asked: Asked<CiState>): CiJob {
  return found(own(asked.state.jobs, nameOf(asked)));
}

function nameOf({ state, params }: Asked<CiState>): string {
  return spelt(state, params.job ?? "");
}

/** Returns the build that a path names. Throws `Refusal` 404 if there is none. */
export function requireBuild(asked: Asked<CiState>): { readonly job: CiJob; readonly build: CiBuild } {
  const job = requireJob(asked);
  return { job, build: foundIn(job.builds, ({ number }) => String(number) === asked.params.buildNumber) };
}

/** Returns the job if the caller can start it; throws `Refusal` if not. @see docs/facts.md, ci: 409 when not buildable */
function requireBuildable(asked: Asked<CiState>): CiJob {
  const job = requireJob(asked);
  requireAdministrator(asked, "Job/Build");
  if (!isBuildable(job)) throw new Refusal(409, `${asked.params.job} is not buildable`);
  return job;
}

/** @see docs/facts.md, ci: 400 since 2.524 */
function notParameterized({ state, params }: Asked<CiState>): Refusal {
  return compareVersions(state.version, "2.524") < 0
    ? new Refusal(500, "java.lang.IllegalStateException: This build is not parameterized!")
    : new Refusal(400, `${params.job} is not parameterized`);
}

function withJob(asked: Asked<CiState>, job: CiJob): Pick<CiState, "jobs"> {
  return { jobs: { ...asked.state.jobs, [nameOf(asked)]: job } };
}

/** Starts a build immediately: the sandbox always has a free agent. */
function enqueue(asked: Asked<CiState>, job: CiJob, parameters: CiBuild["parameters"]): Answered<CiState> {
  const queueId = asked.state.nextQueueId;
  const build: CiBuild = {
    number: nextNumber(job),
    result: null,
    timestamp: asked.now,
    duration: 0,
    queueId,
    builtOn: "",
    parameters,
  };
  return {
    status: 201,
    body: "",
    headers: { location: `${asked.base}/queue/item/${queueId}/` },
    changes: { ...withJob(asked, { ...job, builds: [...job.builds, build] }), nextQueueId: queueId + 1 },
  };
}

/** Ends a build unless it has ended, and performs a restart that waited for it. */
function endBuild(asked: Asked<CiState>): Answered<CiState> {
  const { job, build } = requireBuild(asked);
  requireAdministrator(asked, "Job/Cancel");
  const builds = replace(job.builds, build, aborted(build, asked.now));
  const after = { ...asked.state, ...withJob(asked, { ...job, builds }) };
  const due = after.restartPending && !isBusy(after);
  return {
    status: 302,
    body: "",
    headers: { location: buildUrl(asked) },
    changes: due ? restarted(after, asked.now) : after,
  };
}

/** Ends the build of a pipeline with an empty answer; other builds go on. @see docs/facts.md, CI: the ways to end a build */
function endPipeline(asked: Asked<CiState>, way: "term" | "kill"): Answered<CiState> {
  if (requireBuild(asked).job.type !== "pipeline")
    return { status: 302, body: "", headers: { location: `${buildUrl(asked)}${way}/` } };
  return { ...endBuild(asked), status: 200, headers: { "content-type": "text/html" } };
}

function buildUrl(asked: Asked<CiState>): string {
  return `${jobUrl(asked.base, nameOf(asked))}${asked.params.buildNumber}/`;
}

/** Throws `Refusal` 501 for a `depth` other than 0, which would show the fields of nested objects. */
export function requireShallow({ query }: Asked): void {
  const depth = query.get("depth") ?? "0";
  if (depth !== "0") throw notModelled(`depth=${depth}, only a tree`);
}
