import { z } from "zod";
import { Duration, milliseconds } from "../../core/duration.ts";
import { longestPattern } from "../../core/glob.ts";
import type { Role } from "../../core/resource.ts";

/** The product of each role. */
export const serviceTypes = {
  artifactory: "artifacts",
  github: "hosting",
  gerrit: "review",
  jenkins: "ci",
  klocwork: "analysis",
  jira: "tracker",
  confluence: "wiki",
} as const satisfies Record<string, Role>;

/** Longer timers would need more than 32 bits, and an answer that takes a day is lost. */
const Timeout = Duration.refine((text) => milliseconds(text) <= milliseconds("1d"), "expected at most 1d").transform(
  milliseconds,
);

const ServiceUrl = z
  .string()
  .refine(isPlainUrl, "expected an http or https URL without credentials, query and fragment")
  .transform((url) => url.replace(/\/+$/, ""))
  .describe("Root URL of the service.");

function isPlainUrl(text: string): boolean {
  if (!/^https?:\/\/[^\s?#@\\]+$/i.test(text)) return false;
  return URL.canParse(text);
}

export const ServiceEntry = z.strictObject({
  type: z
    .enum(["artifactory", "github", "gerrit", "jenkins", "klocwork", "jira", "confluence"])
    .describe("The product."),
  url: ServiceUrl,
  wire: z
    .enum(["product", "documented"])
    .default("product")
    .describe("`documented`: exactly the words and paths of the API documents."),
  urls: z
    .partialRecord(z.enum(["auth", "updates"]), ServiceUrl)
    .optional()
    .describe(
      "Roots that stand elsewhere: `auth` of an artifact repository's tokens, `updates` of a CI server's update site.",
    ),
  limits: z
    .strictObject({
      concurrency: z.int().min(1).max(64).default(4).describe("Requests under way at once."),
      timeout: Timeout.prefault("10s").describe("How long to wait for an answer, such as 500ms, 10s or 2m."),
      attempts: z.int().min(1).max(10).default(4).describe("Times a request is sent at most."),
    })
    .prefault({})
    .describe("How hard the service may be asked."),
});
export type ServiceEntry = z.infer<typeof ServiceEntry>;

/** Where a product has what stands beside its own URL, unless the entry says otherwise. */
export function defaultUrls({ type, url }: Pick<ServiceEntry, "type" | "url">): Readonly<Record<string, string>> {
  switch (type) {
    case "artifactory":
      return { auth: url.replace(/\/artifactory$/, "").concat("/access") };
    case "jenkins":
      return { updates: "https://updates.jenkins.io" };
    default:
      return {};
  }
}

const Glob = z
  .string()
  .min(1)
  .refine(staysInside, "expected a pattern below the folder of the workspace file, with / between names");

function staysInside(glob: string): boolean {
  return !/^([/!]|[a-z]:)|\\|(^|[/{,(|])\.\.(?=$|[/},)|])/i.test(glob);
}

/** A pattern of names, such as `ci-*`. */
export const NamePattern = z.string().min(1).max(longestPattern);

const Policy = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, "expected a name such as locks-have-tickets")
    .describe("What its mistakes are reported under."),
  kinds: z.array(z.string()).min(1).optional().describe("The kinds that it is for; left out, all."),
  labels: z
    .record(z.string(), z.string())
    .optional()
    .describe("Labels that a document must have for the policy to be for it; left out, any."),
  schema: z
    .string()
    .min(1)
    .refine(staysInside, "expected a file below the folder of the workspace file, with / between names")
    .describe("A file with a JSON Schema, as JSON or YAML, for documents with `kind`, `metadata` and `spec`."),
  message: z.string().min(1).optional().describe("What to do about a mistake; shown with it."),
});
export type Policy = z.infer<typeof Policy>;

/** The workspace file. */
export const WorkspaceFile = z.strictObject({
  $schema: z.string().optional().describe("The JSON Schema of this file, for editors."),
  version: z.literal(1).describe("The version of the format."),
  manifests: z.array(Glob).min(1).default(["manifests/**/*.yaml"]).describe("Where the manifests are."),
  variables: z
    .record(z.string(), z.json())
    .default({})
    .describe("Values of `${var.name}` where neither an environment, nor --values, nor --var gives one."),
  services: z
    .record(z.string().regex(/^[a-z0-9-]+$/, "expected a name of a-z, 0-9 and -"), ServiceEntry)
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
    })
    .prefault({})
    .describe("What a plan may not do."),
  exclusive: z
    .array(
      z.strictObject({
        kind: z.string().describe("The kind."),
        service: z.string().optional().describe("The service; all of the kind's type unless given."),
        except: z.array(NamePattern).default([]).describe("Keys that stay; `*` stands for any characters."),
      }),
    )
    .default([])
    .describe("Kinds of which a plan deletes what nobody declares."),
  policies: z
    .array(Policy)
    .refine(
      (policies) => new Set(policies.map(({ name }) => name)).size === policies.length,
      "expected each policy's name once",
    )
    .default([])
    .describe("What documents must be beyond what their kinds ask."),
});
export type WorkspaceFile = z.infer<typeof WorkspaceFile>;
