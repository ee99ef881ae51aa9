import { z } from "zod";
import { Acknowledgement, Day } from "../../core/acknowledgement.ts";
import type { Metadata } from "../../core/resource.ts";
import type { ServiceType } from "../../core/service.ts";
import { defined } from "../../core/text/json.ts";
import { type Mapping, plain } from "../yaml/tree.ts";
import { liveListFields } from "./live-list.ts";

/** The fields allowed in metadata, as written. */
const MetadataFields = z.strictObject({
  service: z.string().optional().describe("The service, if the workspace has several of the kind's type."),
  labels: z.record(z.string(), z.string()).default({}).describe("Names to select resources by."),
  protect: z.boolean().default(false).describe("A plan that would delete or replace the resource is refused."),
  ignore: z
    .array(
      z.union([z.string().describe("A top-level field of the specification, ignored permanently."), Acknowledgement]),
    )
    .default([])
    .describe("What is not managed: fields permanently, or what `setpoint ack` has acknowledged until a day."),
  state: z.enum(["present", "absent"]).default("present").describe("`absent`: the resource should not exist."),
  expires: Day.optional().describe(
    "From this day on, in UTC, the same as `state: absent`; an object that always exists is no longer managed.",
  ),
  note: z.string().optional().describe("A note for readers; not sent anywhere."),
});

const Each = z.union([z.string(), z.number(), z.boolean(), z.null(), z.record(z.string(), z.json())]);

/** Returns the schema of `forEach`. A string is exactly one placeholder, such as `${var.teams}`. */
function forEach(types: readonly ServiceType[]) {
  const live = z.strictObject({ from: liveListFields(types) }).describe("A list of a service.");
  return z
    .union([z.string(), z.array(Each), live, z.record(z.string(), z.union([z.string(), z.array(Each), live]))])
    .optional()
    .describe(
      "Repeats the document: over a list (`${each}`, `${each.name}`), over a list of a service (`from`), or over each combination of several lists.",
    );
}

/** A document of a manifest apart from the fields of its specification. `forEach` is removed before the check. */
export const Envelope = z.strictObject({
  $schema: z.string().optional().describe("The JSON Schema of this file, for editors."),
  kind: z.string().describe("The kind of the resource."),
  metadata: MetadataFields.prefault({}).describe("Settings of the resource besides its specification."),
  forEach: z.unknown().optional(),
  spec: z.record(z.string(), z.unknown()).describe("The fields of the kind."),
});
export type Envelope = z.infer<typeof Envelope>;

/** Returns the schema of a document as written, for services of the given types. */
export function documentSchema(types: readonly ServiceType[]) {
  return Envelope.extend({ forEach: forEach(types) });
}

/** The envelope of most documents: a kind, a specification, and nothing else to check. */
const bare = { success: true, data: Envelope.parse({ kind: "", spec: {} }) } as const;
const nothingBeside = metadataFrom(bare.data.metadata);

/** Checks a document, without its `forEach`, against the schema of everything around the specification. */
export function checkEnvelope(tree: Mapping): ReturnType<typeof Envelope.safeParse> {
  return isBare(tree) ? bare : Envelope.safeParse(plain(tree));
}

function isBare({ entries }: Mapping): boolean {
  return (
    entries.length === 2 &&
    entries.every(({ key: { name }, value }) =>
      name === "kind"
        ? value.is === "scalar" && typeof value.value === "string"
        : name === "spec" && value.is === "mapping",
    )
  );
}

/** Returns the metadata of a document; documents without metadata share one value. */
export function metadataOf({ metadata }: Envelope): Metadata {
  return metadata === bare.data.metadata ? nothingBeside : metadataFrom(metadata);
}

function metadataFrom({ note, expires, ignore, service: _named, ...stated }: Envelope["metadata"]): Metadata {
  const acknowledged = ignore.filter((item) => typeof item !== "string");
  return {
    ...stated,
    ignore: ignore.filter((item) => typeof item === "string"),
    ...(acknowledged.length === 0 ? {} : { acknowledged }),
    ...defined({ note, expires }),
  };
}
