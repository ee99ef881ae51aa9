import { onceForText } from "../../core/once.ts";
import { own } from "../../core/text/json.ts";
import { readDocument, type XmlElement } from "../../core/text/xml.ts";
import { Refusal } from "../refusal.ts";
import type { CiBuild, CiJob, CiState } from "./state.ts";

/** The number of newest builds in a job's `builds`. @see docs/facts.md, ci */
const newest = 100;

/** Returns the URL of a job, with one level per folder. */
export function jobUrl(base: string, name: string): string {
  return `${base}/job/${name.split("/").map(encodeURIComponent).join("/job/")}/`;
}

/** Returns the name of a job or folder as the server spells it. @see docs/facts.md, CI: Names of jobs are found in any case */
export function spelt({ jobs }: CiState, name: string): string {
  if (Object.hasOwn(jobs, name)) return name;
  const tops = Object.keys(jobs).map((one) => one.replace(/\/.*/, ""));
  return name.replace(/^[^/]*/, (top) => tops.find((one) => one.toLowerCase() === top.toLowerCase()) ?? top);
}

export function isBuildable({ config }: CiJob): boolean {
  return !isDisabled(config);
}

/** Whether a configuration says so. It is asked for with every view of the job. */
const isDisabled = onceForText(1_000_000, (config) => {
  const reading = readDocument(config);
  if (reading.is === "malformed") return false;
  const said = reading.root.children.find((node) => node.is === "element" && node.name === "disabled");
  return said?.is === "element" && textIn(said).trim() === "true";
});

function textIn({ children }: XmlElement): string {
  return children.map((node) => (node.is === "text" || node.is === "cdata" ? node.text : "")).join("");
}

export function nextNumber({ builds }: CiJob): number {
  return (builds.at(-1)?.number ?? 0) + 1;
}

/** Returns the direct contents of a folder; the root has the empty name. */
export function viewFolder(ci: CiState, folder: string, base: string): { readonly jobs: readonly object[] } {
  const prefix = folder === "" ? "" : `${folder}/`;
  const within = Object.keys(ci.jobs).filter((name) => name.startsWith(prefix));
  const names = new Set(within.map((name) => name.slice(prefix.length).split("/")[0] ?? ""));
  return { jobs: [...names].map((name) => viewJob(ci, `${prefix}${name}`, base)) };
}

const colors = {
  SUCCESS: "blue",
  UNSTABLE: "yellow",
  FAILURE: "red",
  NOT_BUILT: "notbuilt",
  ABORTED: "aborted",
} as const;

/** Returns the colour for the newest build that ended, marked as animated if a build is running. */
function colorOf(job: CiJob): string {
  if (!isBuildable(job)) return "disabled";
  const ended = job.builds.findLast(({ result }) => result !== null)?.result ?? "NOT_BUILT";
  return `${colors[ended]}${job.builds.at(-1)?.result === null ? "_anime" : ""}`;
}

/** Returns a job, or a folder with its contents. Throws `Refusal` 404 for an unknown name. */
export function viewJob(ci: CiState, asked: string, base: string) {
  const fullName = spelt(ci, asked);
  const about = { name: fullName.split("/").at(-1), fullName, url: jobUrl(base, fullName) };
  const job = own(ci.jobs, fullName);
  if (job === undefined) {
    const { jobs } = viewFolder(ci, fullName, base);
    if (jobs.length === 0) throw new Refusal(404);
    return { _class: "com.cloudbees.hudson.plugins.folder.Folder", ...about, jobs };
  }
  const builds = job.builds.toReversed().map((build) => viewBuild(job, build, `${about.url}${build.number}/`));
  return {
    _class:
      job.type === "pipeline" ? "org.jenkinsci.plugins.workflow.job.WorkflowJob" : "hudson.model.FreeStyleProject",
    ...about,
    color: colorOf(job),
    buildable: isBuildable(job),
    inQueue: false,
    nextBuildNumber: nextNumber(job),
    builds: builds.slice(0, newest),
    allBuilds: builds,
    firstBuild: builds.at(-1) ?? null,
    lastBuild: builds[0] ?? null,
  };
}

export function viewBuild(job: CiJob, build: CiBuild, url: string) {
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
