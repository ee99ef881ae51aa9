import { z } from "zod";
import type { CiOperations } from "../../../clients/ci/operations.ts";
import { callOf } from "../../../core/call.ts";
import type { Kind } from "../../../core/kind.ts";
import { type ProblemCode, ProblemError, unlessMissing } from "../../../core/problem.ts";
import { readDocument } from "../../../core/text/xml.ts";
import { inlined, Text } from "../../shared/fields.ts";
import { observeAll } from "../../shared/told.ts";
import { canonicalXml, withoutAdditions } from "./job-xml.ts";

const call = callOf<CiOperations>();

const Config = z.string().superRefine((text, context) => {
  const reading = readDocument(text);
  if (reading.is === "malformed")
    context.addIssue({ code: "custom", message: `expected an XML document; ${reading.mistake}` });
});

const JobConfig = z
  .strictObject({
    job: z
      .string()
      .regex(/^[^/]+(\/[^/]+)*$/, "expected the name of a job, such as nightly or folder/nightly")
      .describe("Name of the job, with its folders: `folder/job`."),
    file: Text.optional().describe("A file beside the manifest: the job's configuration, an XML document."),
    config: Config.optional().describe("The XML document itself, instead of a file."),
  })
  .refine(({ file, config }) => (file === undefined) !== (config === undefined), "expected either file or config")
  .meta({ minProperties: 2, maxProperties: 2 });
type JobConfig = z.infer<typeof JobConfig>;

/** The configuration of an existing job. */
export const jobConfig: Kind<JobConfig, CiOperations, undefined> = {
  kind: "JobConfig",
  role: "ci",
  summary: "The configuration of a job, as an XML document.",
  spec: JobConfig,
  budget: { reads: "1 getJobConfig per job", writes: "1 updateJobConfig per job" },
  notes: `The job must exist: the service documents no operation that creates, deletes or lists jobs, so jobs are not
imported. To start, print the live document with \`setpoint call <service> getJobConfig --job <job>\`.

Differences that mean nothing to the server are ignored: the declaration, comments, order and quotes of attributes, white
space between elements, CDATA or references for text. The attribute \`plugin="git@5.6.0"\` is ignored too, because the
server writes it: it names the version that saved the element, and changes with each upgrade. So are the \`actions\` of the
job, in which builds leave records. A document can be minimal: fields that it leaves out, and that are empty, \`false\` or
0 on the server, are not a difference, because the server adds them when it saves the job. Nor are such fields of the
document that the server does not have, because it drops what it does not know, or the order of fields, which it writes in
its own order. The order of elements with a dot in their name, or with the same name, matters: they are
entries of lists. \`triggers\` and \`concurrentBuild\` of a pipeline are the properties to which the server moves them, and
\`canRoam\` and the like, which jenkins-job-builder writes for every job, mean nothing in a pipeline. The server encrypts secrets
when it saves the job, since 2.568 immediately: state them as its document has them. It shows them as \`********\` to an account that may not configure the job, which is then unknown.

The API documents have no operation that writes the configuration: under \`wire: documented\` a difference needs a person.`,
  permanent: true,
  key: ({ job }) => job,
  scope: ({ job }) => `job ${job}`,
  // @see docs/facts.md, CI: names of jobs
  claims: ({ job }) => [`the job ${job.replace(/^[^/]*/, (top) => top.toLowerCase())}`],

  inline(spec, read) {
    const { job, file } = spec;
    return file === undefined ? spec : { job, config: inlined(Config, read(file), file) };
  },

  observe: (read, _scope, wanted) =>
    observeAll(wanted, jobConfig, async ({ job, config: stated }) => {
      const config = await unlessMissing(read.getJobConfig({ job }));
      if (config === undefined) return { is: "absent", marker: undefined };
      const reading = readDocument(config);
      if (reading.is === "malformed")
        throw unreadable("SP3103", `The configuration cannot be read: ${reading.mistake}.`);
      const compared = stated ?? config;
      if (isHidden(config) && !isHidden(compared))
        throw unreadable(
          "SP3004",
          "The server hides the secrets of the job: it can be compared only with Job/Configure.",
        );
      return { is: "present", spec: { job, config: withoutAdditions(config, compared) }, marker: undefined };
    }),

  normalize: ({ job, config }) => ({ job, ...(config === undefined ? {} : { config: canonicalXml(config) }) }),

  needsPerson(change) {
    if (change.action === "create")
      return `Create the job ${change.key} manually, or let the account read its configuration.`;
    if (change.action !== "update") return undefined;
    if (isHidden(change.desired.config) && !isHidden(change.live.config))
      return "The document has ******** instead of a secret, which would be lost: print it with an account that may configure the job.";
    const [live, wanted] = [typeOf(change.live), typeOf(change.desired)];
    if (live === undefined || wanted === undefined || live === wanted) return undefined;
    return `The type of a job cannot be changed: it is a <${live}>, and the manifest has a <${wanted}>. Delete the job and create it again manually, or correct the document.`;
  },

  compile: (changes) =>
    changes.flatMap((change) => {
      const config = change.action === "delete" ? undefined : change.desired.config;
      if (config === undefined) return [];
      return [call("updateJobConfig", { job: change.key, config: declared(config) }, [change])];
    }),
};

/** Returns a document with a declaration if it needs one: only XML 1.1 has references to control characters. */
function declared(config: string): string {
  return readDocument(config, "1.0").is === "read" ? config : `<?xml version="1.1" encoding="UTF-8"?>\n${config}`;
}

function unreadable(code: ProblemCode, message: string): ProblemError {
  return new ProblemError({ code, operation: "getJobConfig", message });
}

/**
 * Whether a secret is hidden, as it is from an account that may not configure the job.
 * @see docs/facts.md, CI: `********` in place of every secret
 */
function isHidden(config = ""): boolean {
  return />\*{8}</.test(config);
}

/** Returns the type of a job: its root element. Undefined for a class name, which can be another name of the same type. */
function typeOf({ config = "" }: JobConfig): string | undefined {
  const reading = readDocument(config);
  return reading.is === "read" && !reading.root.name.includes(".") ? reading.root.name : undefined;
}
