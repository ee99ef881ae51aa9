import { Document, type Scalar, visit } from "yaml";
import type { Kind } from "../../core/kind.ts";
import { isObject, sameJson } from "../../core/text/json.ts";
import { shapeOf } from "../../core/text/json-schema.ts";
import { inOrder } from "../../core/text/words.ts";
import { escapedText } from "../../core/trigger.ts";

export interface ManifestTextOptions {
  /** The path of the JSON Schema that editors check the file with, relative to the file's folder. */
  readonly schema: string;
  /** The service, if it must be named. */
  readonly service?: string | undefined;
}

/**
 * Returns the text of a manifest that declares objects of one kind: sorted by key, with fields in the order of the kind,
 * without defaults. Secrets cannot be read, so a comment marks where they are missing.
 */
export function manifestText(kind: Kind, specs: readonly unknown[], options: ManifestTextOptions): string {
  const sorted = specs.map((spec) => ({ key: kind.key(spec), spec })).sort((a, b) => inOrder(a.key, b.key));
  const documents = sorted.map(({ spec }) => documentText(kind, spec, options));
  return `# yaml-language-server: $schema=${options.schema}\n${documents.join("---\n")}`;
}

function documentText(kind: Kind, spec: unknown, { service }: ManifestTextOptions): string {
  const document = new Document({
    kind: kind.kind,
    ...(service === undefined ? {} : { metadata: { service } }),
    spec: inKindOrder(kind, withoutDefaults(kind, spec)),
  });
  // Unescaped, "${" would be read as a placeholder.
  visit(document, { Scalar: escapePlaceholder });
  const text = document.toString({ lineWidth: 0, flowCollectionPadding: true });
  return `${text}${secretsNote(kind, spec)}`;
}

function escapePlaceholder(_key: unknown, node: Scalar): void {
  if (typeof node.value === "string") node.value = escapedText(node.value);
}

/** Removes the fields whose absence does not change the meaning of the manifest. */
function withoutDefaults(kind: Kind, spec: unknown): unknown {
  if (!isObject(spec)) return spec;
  const stated = Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== undefined));
  const whole = kind.spec.safeParse(stated);
  return Object.keys(stated).reduce<Readonly<Record<string, unknown>>>((shorter, name) => {
    const { [name]: _left, ...rest } = shorter;
    const parsed = kind.spec.safeParse(rest);
    return parsed.success && whole.success && sameJson(parsed.data, whole.data) ? rest : shorter;
  }, stated);
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
