import { z } from "zod";
import type { CiOperations } from "../../../clients/ci/operations.ts";
import { callOf } from "../../../core/call.ts";
import type { Observation } from "../../../core/change.ts";
import { mistakesOf, unshown } from "../../../core/issues.ts";
import type { Kind } from "../../../core/kind.ts";
import { ProblemError, unlessMissing } from "../../../core/problem.ts";
import { readDocument } from "../../../core/xml.ts";
import { canonicalXml } from "./job-xml.ts";

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
      .describe("Name of the job, with the folders that it is in: `folder/job`."),
    file: z
      .string()
      .min(1)
      .optional()
      .describe("A file beside the manifest: the job's configuration, an XML document."),
    config: Config.optional().describe("The document itself, in place of a file."),
  })
  .refine(({ file, config }) => (file === undefined) !== (config === undefined), "expected one of file and config")
  .meta({ minProperties: 2, maxProperties: 2 });
type JobConfig = z.infer<typeof JobConfig>;

/** The configuration of a job that exists. */
export const jobConfig: Kind<JobConfig, CiOperations, undefined> = {
  kind: "JobConfig",
  role: "ci",
  summary: "The configuration of a job, as an XML document.",
  spec: JobConfig,
  budget: { reads: "1 getJobConfig a job", writes: "1 updateJobConfig a job" },
  notes: `The job must exist: the service documents no operation that creates or deletes one, and none that lists all, so
jobs are not imported. \`setpoint call <service> getJobConfig --job <job>\` prints the document to begin with.

Documents are compared without what means nothing to the server: the declaration, comments, order and quotes of
attributes, white space between elements, CDATA or references for text. The attribute \`plugin="git@5.6.0"\` counts as
nothing too, because the server writes it: it names the version that saved the element, and changes with each upgrade. The
order of elements counts, since it does in lists; the server writes fields in its own order, so begin with its document.

The API documents have no write of it: under \`wire: documented\` a difference needs a person.`,
  permanent: true,
  key: ({ job }) => job,
  scope: ({ job }) => `job ${job}`,

  inline({ job, ...stated }, read) {
    if (stated.file === undefined) return { job, ...stated };
    const { file } = stated;
    const text = read(file);
    const config = Config.safeParse(text);
    if (config.success) return { job, config: config.data };
    const mistakes = mistakesOf(
      unshown(text, () => file),
      config.error.issues,
    );
    throw new ProblemError(...mistakes.map(({ sentence: message }) => ({ code: "SP1002" as const, message })));
  },

  async observe(read, _scope, [wanted]) {
    const job = wanted?.job ?? "";
    const config = await unlessMissing(read.getJobConfig({ job }));
    if (config === undefined) return new Map([[job, absent]]);
    const reading = readDocument(config);
    if (reading.is === "malformed")
      throw new ProblemError({
        code: "SP3103",
        operation: "getJobConfig",
        message: `The configuration of ${job} cannot be read: ${reading.mistake}.`,
      });
    return new Map([[job, { is: "present", spec: { job, config }, marker: undefined }]]);
  },

  normalize: ({ job, config }) => ({ job, ...(config === undefined ? {} : { config: canonicalXml(config) }) }),

  needsPerson: (change) =>
    change.action === "create"
      ? `Create the job ${change.key} by hand, or let the account see its configuration.`
      : undefined,

  compile: (changes) =>
    changes.flatMap((change) => {
      const config = change.action === "delete" ? undefined : change.desired.config;
      if (config === undefined) return [];
      return [call("updateJobConfig", { job: change.key, config }, [change])];
    }),
};

const absent: Observation<JobConfig, undefined> = { is: "absent", marker: undefined };
