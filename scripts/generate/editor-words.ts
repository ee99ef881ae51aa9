import { isObject } from "../../src/core/text/json.ts";
import { mapSchema, type WrittenSchema } from "../../src/core/text/json-schema.ts";

/** Keywords that editors read in addition to the standard's. Programs that check the schema have to know them. */
export const editorKeywords: readonly string[] = ["patternErrorMessage", "markdownDescription", "defaultSnippets"];

/** Repeats descriptions that have markup as Markdown. Otherwise the YAML language server shows the markup's characters. */
export function withMarkdown(schema: WrittenSchema): WrittenSchema {
  return mapSchema(schema, ({ description, ...rest }) => ({
    ...(description === undefined ? {} : { description }),
    ...(typeof description === "string" && /[`*_[\]]/.test(description) ? { markdownDescription: description } : {}),
    ...rest,
  }));
}

/** A snippet for a whole document of a kind, with its required fields to fill in one after the other. */
export function documentSnippet(kind: string, spec: WrittenSchema): WrittenSchema {
  let stops = 0;
  const stop = () => {
    stops += 1;
    return `$${stops}`;
  };
  return {
    label: kind,
    ...(spec.description === undefined ? {} : { description: spec.description }),
    body: { kind, spec: neededIn(spec, stop) ?? stop() },
  };
}

/** The required fields of a mapping; undefined if there are none. */
function neededIn(schema: WrittenSchema, stop: () => string): WrittenSchema | undefined {
  const { properties, required } = schema;
  if (!isObject(properties) || !Array.isArray(required) || required.length === 0) return undefined;
  return Object.fromEntries(required.map((name: string) => [name, placeFor(properties[name], stop)]));
}

function placeFor(schema: unknown, stop: () => string): unknown {
  const type = isObject(schema) ? [schema.type].flat()[0] : undefined;
  if (type === "array") return [stop()];
  if (type === "object" && isObject(schema)) return neededIn(schema, stop) ?? { [stop()]: stop() };
  return stop();
}
