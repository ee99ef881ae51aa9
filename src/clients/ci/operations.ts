import { z } from "zod";
import type { Reader } from "../../core/operation.ts";
import { get, read, send, write } from "../table.ts";
import {
  BuildParameters,
  CoreVersionText,
  Crumb,
  JobRecord,
  PluginList,
  QueuedBuild,
  VersionFields,
} from "./records.ts";
import { AnyScript, ReadScript, ScriptResult, SystemProperties } from "./script.ts";
import { TreeSelection, XPath } from "./select.ts";

/** The one expression to which the server answers text instead of XML. */
const crumbLine = "concat(//crumbRequestField,':',//crumb)";

/** Both forms of reading a crumb. @see docs/api/ci.md, crumbs */
export const crumbOperations = {
  getCrumb: read(get("/crumbIssuer/api/json"), {
    summary: "The crumb that every changing request must carry.",
    result: Crumb,
  }),
  getCrumbXml: read(get("/crumbIssuer/api/xml?xpath"), {
    summary: "The same crumb as text: field:crumb.",
    answer: "text",
    args: z.object({ xpath: z.literal(crumbLine).default(crumbLine) }),
    result: z
      .string()
      .trim()
      .regex(/^[^:\s]+:\S+$/, "expected field:crumb")
      .transform(splitCrumb),
  }),
} as const;

function splitCrumb(line: string): Crumb {
  const colon = line.indexOf(":");
  return { crumbRequestField: line.slice(0, colon), crumb: line.slice(colon + 1) };
}

/** A job's name, with the folders that it is in: `folder/job`. */
const nested = { job: "/job/" } as const;
const job = z.string();
const build = { job, buildNumber: z.int().min(1) } as const;

/** A row that ends a build. Its URL is the `url` of a build record. */
function endingBuild(how: "stop" | "term" | "kill", summary: string) {
  const args = z.object({ buildUrl: z.url() });
  return write(send("POST", `{build_url}/${how}`, "none"), { summary, answer: "headers", args });
}

/** A job's parameter. Lists are comma-separated, so their entries have no commas. */
const ParameterValue = z.union([
  z.string(),
  z.number(),
  z.boolean(),
  z.array(z.string().regex(/^[^,]*$/, "expected no comma in an entry")).transform((list) => list.join(",")),
]);

/** The form of a build's page, as one JSON string. */
const BuildForm = z.union([
  z.string(),
  z
    .strictObject({ parameter: z.array(z.strictObject({ name: z.string().min(1), value: z.json() })) })
    .transform((form) => JSON.stringify(form)),
]);

/** What setpoint selects of plugins and of builds. */
const pluginTree = "plugins[shortName,version,deleted]";
const parameterTree = "actions[parameters[*]]";

/** Operations of the CI server (Jenkins). @see docs/api/ci.md */
export const ciOperations = {
  ...crumbOperations,
  getVersion: read(get("/api/json?tree"), {
    summary: "The server's version and the id of its current run.",
    answer: "headers",
    args: z.object({ tree: z.literal("mode").default("mode") }),
    result: VersionFields,
    ext: "docs/facts.md, ci: X-Jenkins carries the version",
  }),
  safeRestart: write(send("POST", "/safeRestart", "none"), {
    summary: "Restarts the server once no build is running.",
    answer: "headers",
  }),
  restart: write(send("POST", "/restart", "none"), {
    summary: "Restarts the server immediately; running builds are aborted.",
    answer: "headers",
  }),
  runReadScript: read(send("POST", "/scriptText effect=read", "form"), {
    summary: "Runs one of the client's read-only scripts: values of system properties by name.",
    answer: "text",
    args: z.object({ script: ReadScript }),
    result: SystemProperties,
    ext: "docs/api/ci.md, scripts: a script that only reads is an operation of its own",
  }),
  runScript: write(send("POST", "/scriptText", "form"), {
    summary: "Runs a script on the server: one of the client's with values, or any Groovy text.",
    answer: "text",
    args: z.object({ script: AnyScript }),
    result: ScriptResult,
  }),
  stopBuild: endingBuild("stop", "Aborts a build."),
  terminateBuild: endingBuild("term", "Terminates a build that did not stop."),
  killBuild: endingBuild("kill", "Kills a pipeline build that did not terminate, without cleanup."),
  getJob: read(get("/job/{job}/api/json?tree"), {
    summary: "A job and its builds, as far as `tree` selects them.",
    nested,
    args: z.object({ job, tree: TreeSelection.optional() }),
    result: JobRecord,
  }),
  listPlugins: read(get("/pluginManager/api/json?depth&tree"), {
    summary: "Installed plugins. Set `depth` to 1 or name fields in `tree`: otherwise the server returns no fields.",
    args: z.object({ depth: z.int().min(0).optional(), tree: TreeSelection.optional() }),
    selection: { by: "tree", whole: [pluginTree, "plugins[shortName,longName,version]"] },
    result: PluginList,
  }),
  getBuildParameters: read(get("/job/{job}/{build_number}/api/json?tree"), {
    summary: "The parameters of a build.",
    nested,
    args: z.object({ ...build, tree: TreeSelection.default(parameterTree) }),
    selection: { by: "tree", whole: [parameterTree] },
    result: BuildParameters,
  }),
  getBuildXml: read(get("/job/{job}/{build_number}/api/xml?xpath"), {
    summary: "The element of a build that `xpath` matches, as XML; without `xpath` the whole build.",
    nested,
    answer: "text",
    args: z.object({ ...build, xpath: XPath.optional() }),
    result: z.string(),
  }),
  buildJob: write(send("POST", "/job/{job}/build", "form"), {
    summary: "Starts a job, with parameters if `json` has them.",
    nested,
    answer: "headers",
    args: z.object({ job, json: BuildForm.optional() }),
    result: QueuedBuild,
  }),
  buildJobWithParameters: write(send("POST", "/job/{job}/buildWithParameters", "form"), {
    summary: "Starts a job with parameters; omitted ones get their defaults.",
    nested,
    answer: "headers",
    args: z.object({ job, parameters: z.record(z.string().min(1), ParameterValue) }),
    result: QueuedBuild,
  }),
  getJobConfig: read(get("/job/{job}/config.xml"), {
    summary: "A job's configuration: an XML document.",
    nested,
    answer: "text",
    args: z.object({ job }),
    result: z.string().min(1),
  }),
  updateJobConfig: write(send("POST", "/job/{job}/config.xml", "text"), {
    summary: "Replaces a job's configuration; the server rewrites the document.",
    nested,
    type: "application/xml",
    answer: "headers",
    args: z.object({ job, config: z.string().min(1) }),
    ext: "docs/facts.md, ci: config.xml is core; POST replaces the document",
  }),
  getLatestStableCore: read(get("{updates_url}/stable/latestCore.txt"), {
    summary: "The newest long-term support version.",
    answer: "text",
    follows: true,
    result: CoreVersionText,
  }),
  getLatestWeeklyCore: read(get("{updates_url}/current/latestCore.txt"), {
    summary: "The newest weekly version.",
    answer: "text",
    result: CoreVersionText,
  }),
} as const;
export type CiOperations = typeof ciOperations;

/** The reading half of the CI server's client. */
export type CiReader = Reader<CiOperations>;
