import { z } from "zod";
import { Risk } from "../../core/change.ts";
import { onceFor } from "../../core/once.ts";
import type { ServiceType } from "../../core/service.ts";
import { Duration, milliseconds } from "../../core/text/duration.ts";
import { longestPattern } from "../../core/text/glob.ts";
import { withoutEnd } from "../../core/text/words.ts";
import { triggerFacts } from "../../core/trigger.ts";
import { Limits } from "./limits.ts";

/** The timeout of a request. Much longer timers would need more than 32 bits, and an answer that takes a day is lost. */
const Timeout = Duration.refine((text) => milliseconds(text) <= milliseconds("1d"), "expected at most 1d").transform(
  milliseconds,
);

export const ServiceUrl = z
  .string()
  .refine(isPlainUrl, "expected an http or https URL without credentials, query and fragment")
  .transform((url) => withoutEnd(url, "/"))
  .describe("Root URL of the service.");

function isPlainUrl(text: string): boolean {
  if (!/^https?:\/\/[^\s?#@\\]+$/i.test(text)) return false;
  return URL.canParse(text);
}

export const ServiceName = z.string().regex(/^[a-z0-9-]+$/, "expected a name of a-z, 0-9 and -");

/** The entry of a workspace file for a service of one of the types. */
export const serviceEntry = onceFor((types: readonly ServiceType[]) => {
  const roots = types.flatMap((one) => Object.entries(one.roots ?? {}));
  const descriptions = roots.map(([name, { description }]) => `\`${name}\` ${description}`);
  return z.strictObject({
    type: z.enum(types.flatMap((one) => one.types)).describe("The product."),
    url: ServiceUrl,
    wire: z
      .enum(["product", "documented"])
      .default("product")
      .describe("`documented`: exactly the words and paths of the API documents."),
    urls: z
      .partialRecord(z.enum(roots.map(([name]) => name)), ServiceUrl)
      .optional()
      .describe(`Roots with URLs of their own: ${descriptions.join(", ")}.`),
    limits: z
      .strictObject({
        concurrency: z
          .int()
          .min(1)
          .max(64)
          .default(4)
          .describe("Maximum number of concurrent requests: fewer after the service has refused one as too many."),
        timeout: Timeout.prefault("10s").describe("How long to wait for an answer, such as 500ms, 10s or 2m."),
        requestsPerSecond: z
          .number()
          .min(0.001)
          .max(1000)
          .optional()
          .describe(
            "Maximum number of requests in any second, counted until their answers; 0.5 is one every two seconds. With --queue, of all workers together.",
          ),
        attempts: z.int().min(1).max(10).default(4).describe("How often a request is sent at most, including retries."),
      })
      .prefault({})
      .describe("Limits on requests to the service."),
  });
});

const Glob = z
  .string()
  .min(1)
  .max(1000)
  .refine(staysInside, "expected a pattern below the folder of the workspace file, with / between names")
  .refine(isPlainGlob, "expected a pattern of *, **, ?, {a,b} and [ab]");

/** Whether a pattern has no forms of other programs, such as `+(a|b)` and `{1..9}`. */
function isPlainGlob(glob: string): boolean {
  return !/[@!+*?]\(|\{\w+\.\./.test(glob);
}

function staysInside(glob: string): boolean {
  return !/^([/!]|[a-z]:)|\\|(^|[/{,(|])\.\.(?=$|[/},)|])/i.test(glob);
}

/** A pattern for names, such as `ci-*`. */
export const NamePattern = z.string().min(1).max(longestPattern);

const Policy = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, "expected a name such as locks-have-tickets")
    .describe("The name under which its violations are reported."),
  kinds: z.array(z.string()).min(1).optional().describe("The kinds that it applies to; by default, all."),
  labels: z
    .record(z.string(), z.string())
    .optional()
    .describe("Labels that a document must have for the policy to apply; by default, any."),
  schema: z
    .string()
    .min(1)
    .refine(staysInside, "expected a file below the folder of the workspace file, with / between names")
    .describe("A file with a JSON Schema, as JSON or YAML, for documents with `kind`, `metadata` and `spec`."),
  message: z.string().min(1).optional().describe("What to do about a violation, shown with it."),
});
export type Policy = z.infer<typeof Policy>;

/** Returns the schema of an `onApplied` entry: a service, and one of the things that services of the types can do. */
function onAppliedEntry(types: readonly ServiceType[]) {
  const triggers = types.flatMap((type) => Object.entries(type.triggers ?? {}));
  const names = triggers.map(([name]) => name);
  return z
    .strictObject({ service: z.string().describe("The service that does it.") })
    .extend(Object.fromEntries(triggers.map(([name, { spec, summary }]) => [name, spec.optional().describe(summary)])))
    .refine(
      (entry) => Object.keys(entry).filter((name) => names.includes(name)).length === 1,
      `expected one of ${names.join(", ")}`,
    );
}

/** The schema of the workspace file, for services of the given types. */
export const workspaceFile = onceFor((types: readonly ServiceType[]) =>
  z.strictObject({
    $schema: z.string().optional().describe("The JSON Schema of this file, for editors."),
    version: z.literal(1).describe("The version of the format."),
    manifests: z.array(Glob).min(1).max(1000).default(["manifests/**/*.yaml"]).describe("Where the manifests are."),
    files: z
      .array(Glob)
      .max(100)
      .default([])
      .describe(
        "Dotfiles that manifests may name or be, such as `.config/pages/*.md`; others are not read, and `.git` and `.setpoint` never are.",
      ),
    variables: z
      .record(z.string(), z.json())
      .default({})
      .describe("Defaults of `${var.name}`; an environment, --values and --var override them."),
    services: z
      .record(ServiceName, serviceEntry(types))
      .describe("The services by the names that addresses begin with."),
    guards: z
      .strictObject({
        maxDeletes: z.int().min(0).optional().describe("A plan that deletes more resources is refused."),
        maxDeletePercent: z
          .number()
          .min(0)
          .max(100)
          .default(30)
          .describe("A plan that deletes a larger share of a kind's live resources is refused."),
        accept: z
          .array(Risk)
          .default([])
          .describe("A plan with one of these risks is refused unless its run accepts it with --accept."),
      })
      .prefault({})
      .describe("Limits on what a plan may do."),
    limits: Limits.prefault({}).describe("Limits on all manifests together."),
    exclusive: z
      .array(
        z.strictObject({
          kind: z.string().describe("The kind."),
          service: z.string().optional().describe("The service; by default, all of the kind's type."),
          except: z.array(NamePattern).default([]).describe("Keys to keep; `*` matches any characters."),
        }),
      )
      .default([])
      .describe("Kinds for which a plan deletes undeclared objects."),
    onApplied: z
      .array(z.lazy(() => onAppliedEntry(types)))
      .default([])
      .describe(
        `What to start after a complete apply that changed something. Texts can contain ${Object.entries(triggerFacts)
          .map(([name, meaning]) => `\`\${run.${name}}\` (${meaning})`)
          .join(", ")}.`,
      ),
    policies: z
      .array(Policy)
      .max(100)
      .refine(
        (policies) => new Set(policies.map(({ name }) => name)).size === policies.length,
        "expected each policy's name once",
      )
      .default([])
      .describe("Rules for documents beyond those of their kinds."),
  }),
);
