import { Document, type Scalar, visit } from "yaml";
import type { Kind } from "../../core/kind.ts";
import { defined, isObject, sameJson } from "../../core/text/json.ts";
import { shapeOf } from "../../core/text/json-schema.ts";
import { inOrder } from "../../core/text/words.ts";
import { escapedText } from "../../core/trigger.ts";
import { unprintable, withEscapes } from "../rewrite/render.ts";
import { maxFileSize } from "../yaml/read-text.ts";

export interface ManifestTextOptions {
  /** The path of the JSON Schema that editors check the file with, relative to the file's folder. */
  readonly schema: string;
  /** The service, if it must be named. */
  readonly service?: string | undefined;
}

/** A manifest of some objects of one kind. */
export interface ManifestText {
  readonly resources: number;
  readonly text: string;
}

/**
 * Returns manifests that declare objects of one kind: sorted by key, with fields in the order of the kind, without defaults.
 * Secrets cannot be read, so a comment marks where they are missing. Each is small enough to be read again, also if its
 * words are short.
 */
export function manifestTexts(
  kind: Kind,
  specs: readonly unknown[],
  options: ManifestTextOptions,
): readonly ManifestText[] {
  const sorted = specs.map((spec) => ({ key: kind.key(spec), spec })).sort((a, b) => inOrder(a.key, b.key));
  const files: string[][] = [];
  let size = maxFileSize;
  for (const { spec } of sorted) {
    const text = documentText(kind, spec, options);
    size += Buffer.byteLength(text);
    if (size <= maxFileSize / 2) files.at(-1)?.push(text);
    else {
      files.push([text]);
      size = Buffer.byteLength(text);
    }
  }
  const head = `# yaml-language-server: $schema=${options.schema}\n`;
  return files.map((texts) => ({ resources: texts.length, text: `${head}${texts.join("---\n")}` }));
}

function documentText(kind: Kind, spec: unknown, { service }: ManifestTextOptions): string {
  const document = new Document({
    kind: kind.kind,
    ...(service === undefined ? {} : { metadata: { service } }),
    spec: inKindOrder(kind, withoutDefaults(kind, spec)),
  });
  visit(document, { Scalar: escapeText });
  const text = withEscapes(document.toString({ lineWidth: 0, flowCollectionPadding: true }));
  return `${text}${secretsNote(kind, spec)}`;
}

function escapeText(_key: unknown, node: Scalar): void {
  if (typeof node.value !== "string") return;
  // Unescaped, "${" would be read as a placeholder.
  const text = escapedText(node.value);
  node.value = text;
  // A block scalar can have line breaks and tabs.
  if (unprintable.test(text.replace(/[\n\t]/g, ""))) node.type = "QUOTE_DOUBLE";
}

/** Removes the fields whose absence does not change the meaning of the manifest. */
function withoutDefaults(kind: Kind, spec: unknown): unknown {
  const whole = stated(spec);
  if (!isObject(whole)) return whole;
  const parsed = kind.spec.safeParse(whole);
  return Object.keys(whole).reduce<Readonly<Record<string, unknown>>>((shorter, name) => {
    const { [name]: _left, ...rest } = shorter;
    const other = kind.spec.safeParse(rest);
    return parsed.success && other.success && sameJson(other.data, parsed.data) ? rest : shorter;
  }, whole);
}

/** Returns a specification without the fields that have no value. */
export function stated(spec: unknown): unknown {
  return isObject(spec) ? defined(spec) : spec;
}

function inKindOrder(kind: Kind, spec: unknown): unknown {
  if (!isObject(spec)) return spec;
  const order = shapeOf(kind.spec).fieldsAt([]);
  return Object.fromEntries(Object.entries(spec).sort(([a], [b]) => order.indexOf(a) - order.indexOf(b)));
}

function secretsNote(kind: Kind, spec: unknown): string {
  const shape = shapeOf(kind.spec);
  const missing = shape.fieldsAt([]).filter((name) => !(isObject(spec) && name in spec) && shape.isSecret([name]));
  return missing.map((name) => `  # ${name}: not imported, because a secret cannot be read.\n`).join("");
}
