import { escapeXml, readDocument, type XmlNode } from "../../core/xml.ts";
import type { Answered, Answers, Asked } from "../exchange.ts";
import { found, memberOf, Refusal } from "../refusal.ts";
import { mediaType } from "../request.ts";
import { isBusy, restarted, withAborted } from "./restart.ts";
import { requireAdministrator, requireReader } from "./rights.ts";
import type { CiBuild, CiJob, CiState } from "./state.ts";
import { selectTree } from "./tree.ts";
import { selectXPath, xmlElement, xmlText } from "./xml.ts";

/** Builds that a job shows by default. @see docs/facts.md, ci */
const newest = 100;

export const jobAnswers = {
  getJob({ state, base, params, query }) {
    const view = viewJob(state, params.job ?? "", base);
    return { body: selectTree(view, query.get("tree") ?? "*,builds[number,url],jobs[name,url]") };
  },

  getBuildParameters(asked) {
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
    if (job.parameters.length > 0) throw new Refusal(400, "Nothing is submitted");
    return enqueue(asked, job, {});
  },

  buildJobWithParameters(asked) {
    const job = requireBuildable(asked);
    if (job.parameters.length === 0)
      throw new Refusal(500, "java.lang.IllegalStateException: This build is not parameterized!");
    const form = new URLSearchParams(asked.body);
    const parameters = job.parameters.map(({ name, default: value, choices }) => {
      const given = form.get(name);
      if (given !== null && choices !== undefined && !choices.includes(given))
        throw new Refusal(400, `Illegal choice for parameter ${name}: ${given}`);
      return [name, given === null ? value : typeof value === "boolean" ? given === "true" : given] as const;
    });
    return enqueue(asked, job, Object.fromEntries(parameters));
  },

  stopBuild: endBuild,
  terminateBuild: endPipeline,
  killBuild: endPipeline,

  getJobConfig(asked) {
    const { config } = requireJob(asked);
    requireReader(asked, "Job/ExtendedRead");
    return { body: config, headers: { "content-type": "application/xml;charset=utf-8" } };
  },

  /** The document is written anew: with the server's own declaration and in its own spelling. */
  updateJobConfig(asked) {
    const job = requireJob(asked);
    requireAdministrator(asked, "Job/Configure");
    if (!["application/xml", "text/xml"].includes(mediaType(asked)) || !asked.body.trimStart().startsWith("<"))
      throw new Refusal(400, "The configuration is no XML document");
    const reading = readDocument(asked.body);
    if (reading.is === "malformed") throw new Refusal(500, `Failed to persist config.xml: ${reading.mistake}`);
    const config = `<?xml version='1.1' encoding='UTF-8'?>\n${xmlOf(reading.root)}`;
    return { body: "", changes: withJob(asked, { ...job, config }) };
  },
} satisfies Answers<CiState>;

/** Without declarations and instructions; CDATA as text. */
function xmlOf(node: XmlNode): string {
  if (node.is === "comment") return `<!--${node.text}-->`;
  if (node.is !== "element") return escapeXml(node.text, "content");
  const attributes = Object.entries(node.attributes).map(
    ([key, value]) => ` ${key}="${escapeXml(value, "attribute")}"`,
  );
  const tag = [node.name, ...attributes].join("");
  const content = node.children.map(xmlOf).join("");
  return content === "" ? `<${tag}/>` : `<${tag}>${content}</${node.name}>`;
}

function requireJob({ state, params }: Asked<CiState>): CiJob {
  return found(memberOf(state.jobs, params.job));
}

function requireBuild(asked: Asked<CiState>): { readonly job: CiJob; readonly build: CiBuild } {
  const job = requireJob(asked);
  return { job, build: found(job.builds.find(({ number }) => String(number) === asked.params.buildNumber)) };
}

/** A job that may be started. @see docs/facts.md, ci: 409 when not buildable */
function requireBuildable(asked: Asked<CiState>): CiJob {
  const job = requireJob(asked);
  requireAdministrator(asked, "Job/Build");
  if (!isBuildable(job)) throw new Refusal(409, `${asked.params.job} is not buildable`);
  return job;
}

function isBuildable({ config }: CiJob): boolean {
  return !/<disabled>\s*true\s*<\/disabled>/.test(config);
}

function withJob({ state, params }: Asked<CiState>, job: CiJob): Pick<CiState, "jobs"> {
  return { jobs: { ...state.jobs, [params.job ?? ""]: job } };
}

function nextNumber({ builds }: CiJob): number {
  return (builds.at(-1)?.number ?? 0) + 1;
}

/** The build runs at once: the sandbox has an agent for everyone. */
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

/** Ends a build, unless it has ended. A restart that waited for it happens now. */
function endBuild(asked: Asked<CiState>): Answered<CiState> {
  const { job, build } = requireBuild(asked);
  requireAdministrator(asked, "Job/Cancel");
  const after = { ...asked.state, ...withJob(asked, withAborted(job, build, asked.now)) };
  const due = after.restartPending && !isBusy(after);
  return {
    status: 302,
    body: "",
    headers: { location: buildUrl(asked) },
    changes: due ? restarted(after, asked.now) : after,
  };
}

/** Only pipelines can be ended in this way. */
function endPipeline(asked: Asked<CiState>): Answered<CiState> {
  if (requireJob(asked).type !== "pipeline") throw new Refusal(404);
  return endBuild(asked);
}

function jobUrl(base: string, name: string): string {
  return `${base}/job/${name.split("/").map(encodeURIComponent).join("/job/")}/`;
}

function buildUrl({ base, params }: Asked): string {
  return `${jobUrl(base, params.job ?? "")}${params.buildNumber}/`;
}

/** A job, or a folder with what is in it. */
function viewJob(ci: CiState, fullName: string, base: string) {
  const about = { name: fullName.split("/").at(-1), fullName, url: jobUrl(base, fullName) };
  const job = memberOf(ci.jobs, fullName);
  if (job === undefined) {
    const within = Object.keys(ci.jobs).filter((name) => name.startsWith(`${fullName}/`));
    if (within.length === 0) throw new Refusal(404);
    const names = new Set(within.map((name) => name.slice(fullName.length + 1).split("/")[0] ?? ""));
    const jobs = [...names].map((name) => ({ name, url: jobUrl(base, `${fullName}/${name}`) }));
    return { _class: "com.cloudbees.hudson.plugins.folder.Folder", ...about, jobs };
  }
  const builds = job.builds.toReversed().map((build) => viewBuild(job, build, `${about.url}${build.number}/`));
  return {
    _class:
      job.type === "pipeline" ? "org.jenkinsci.plugins.workflow.job.WorkflowJob" : "hudson.model.FreeStyleProject",
    ...about,
    buildable: isBuildable(job),
    inQueue: false,
    nextBuildNumber: nextNumber(job),
    builds: builds.slice(0, newest),
    allBuilds: builds,
    lastBuild: builds[0] ?? null,
  };
}

function viewBuild(job: CiJob, build: CiBuild, url: string) {
  const { number, parameters, ...told } = build;
  const parameterActions = {
    _class: "hudson.model.ParametersAction",
    parameters: Object.entries(parameters).map(([name, value]) => ({
      _class: typeof value === "boolean" ? "hudson.model.BooleanParameterValue" : "hudson.model.StringParameterValue",
      name,
      value,
    })),
  };
  return {
    _class: job.type === "pipeline" ? "org.jenkinsci.plugins.workflow.job.WorkflowRun" : "hudson.model.FreeStyleBuild",
    actions: [
      ...(Object.keys(parameters).length > 0 ? [parameterActions] : []),
      { _class: "hudson.model.CauseAction" },
      {},
    ],
    id: String(number),
    number,
    displayName: `#${number}`,
    building: build.result === null,
    description: null,
    estimatedDuration: -1,
    ...told,
    url,
  };
}
