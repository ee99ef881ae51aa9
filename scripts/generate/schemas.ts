import { allServices } from "../../src/clients/find-service.ts";
import type { Kind } from "../../src/core/kind.ts";
import { Report } from "../../src/core/run/outcome.ts";
import { Plan } from "../../src/core/run/plan.ts";
import { isObject } from "../../src/core/text/json.ts";
import type { WrittenSchema } from "../../src/core/text/json-schema.ts";
import { documentSchema } from "../../src/manifests/documents/manifest-schema.ts";
import { workspaceFile } from "../../src/manifests/workspace/workspace-schema.ts";
import type { DerivedFile } from "./derived-file.ts";
import { documentSnippet, withMarkdown } from "./editor-words.ts";
import { jsonSchema } from "./json-schema.ts";
import { placeholderDefinition, withPlaceholders } from "./placeholders.ts";

const head = { $schema: "http://json-schema.org/draft-07/schema#" };

/** Not written as a literal key, because objects with a member `then` look like promises. */
const consequence = "then";

/** The JSON Schemas of the files that people write and of the JSON that the program prints. */
export function schemas(kinds: readonly Kind[]): readonly DerivedFile[] {
  const files: Readonly<Record<string, WrittenSchema>> = {
    manifest: withMarkdown(manifestSchema(kinds)),
    workspace: withMarkdown(workspaceSchema()),
    plan: { ...head, title: "A plan of setpoint", ...jsonSchema(Plan) },
    report: { ...head, title: "A report of setpoint", ...jsonSchema(Report) },
  };
  return Object.entries(files).map(([name, schema]) => ({
    path: `schema/${name}.schema.json`,
    text: JSON.stringify(schema),
  }));
}

/** One document of a manifest: the envelope, and for each kind one branch with its specification. */
export function manifestSchema(kinds: readonly Kind[]): WrittenSchema {
  const envelope = jsonSchema(documentSchema(allServices));
  const { metadata, ...properties } = members(envelope.properties);
  const specs = kinds.map((kind) => ({ kind, ...specSchema(kind) }));
  return {
    ...head,
    title: "A manifest of setpoint",
    ...envelope,
    properties: {
      ...properties,
      // Not an enum: editors show the kind's own words for a constant, and the whole list for an enum.
      kind: {
        ...members(properties.kind),
        anyOf: kinds.map(({ kind, summary }) => ({ const: kind, title: kind, description: summary })),
      },
      metadata: withPlaceholders(members(metadata)),
      spec: { type: "object", description: "The fields of the kind." },
    },
    allOf: [
      ...kinds.map(({ kind }) => ({
        if: { properties: { kind: { const: kind } }, required: ["kind"] },
        [consequence]: { properties: { spec: { $ref: `#/definitions/${kind}` } } },
      })),
      // A whole document is offered only where none has been started.
      {
        if: { not: { required: ["kind"] } },
        [consequence]: { defaultSnippets: specs.map(({ kind, spec }) => documentSnippet(kind.kind, spec)) },
      },
    ],
    definitions: {
      ...members(envelope.definitions),
      Placeholder: placeholderDefinition,
      ...Object.fromEntries(specs.flatMap(({ kind, spec, shared }) => [[kind.kind, spec], ...Object.entries(shared)])),
    },
  };
}

/** The schema of a kind's specification, and the definitions that it refers to, under names that no other kind has. */
function specSchema(kind: Kind): { readonly spec: WrittenSchema; readonly shared: WrittenSchema } {
  const own = JSON.stringify(jsonSchema(kind.spec)).replaceAll('"#/definitions/', `"#/definitions/${kind.kind}.`);
  const { definitions, ...spec } = withPlaceholders(members(JSON.parse(own)));
  const shared = Object.entries(members(definitions)).map(([name, schema]) => [`${kind.kind}.${name}`, schema]);
  return { spec: { title: kind.kind, description: kind.summary, ...spec }, shared: Object.fromEntries(shared) };
}

/** The schema of the workspace file. Placeholders can be used only in `services` and `onApplied`. */
function workspaceSchema(): WrittenSchema {
  const schema = jsonSchema(workspaceFile(allServices));
  const { services, onApplied, ...properties } = members(schema.properties);
  return {
    ...head,
    title: "A workspace of setpoint",
    ...schema,
    properties: {
      ...properties,
      services: withPlaceholders(members(services)),
      onApplied: withPlaceholders(members(onApplied)),
    },
    definitions: { ...members(schema.definitions), Placeholder: placeholderDefinition },
  };
}

function members(value: unknown): WrittenSchema {
  return isObject(value) ? value : {};
}
