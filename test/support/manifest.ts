import type { Metadata } from "../../src/core/resource.ts";
import { isObject } from "../../src/core/text/json.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Returns one document of a manifest. */
export function document(
  kind: string,
  spec: Fields,
  metadata: Partial<Metadata> & { readonly service?: string } = {},
): string {
  return written([{ kind, metadata, spec }]);
}

/** Returns documents in the plain subset of YAML that most manifests use and that is read without the parser. */
export function written(documents: readonly object[]): string {
  return documents.map((one) => `---${below(one, "\n")}\n`).join("");
}

/** Returns what follows a name: strings of several lines below it, anything else on its line. */
function below(value: unknown, line: string): string {
  if (typeof value === "string" && /^[^\s].*\n/.test(value) && !/\n\n$|^ +$|[^\P{Cc}\n]/mu.test(value))
    return ` |${value.endsWith("\n") ? "" : "-"}${line}${value.replace(/\n$/, "").replaceAll(/\n(?!\n)/g, line)}`;
  if (!isObject(value) || (line !== "\n" && !JSON.stringify(value).includes("\\n"))) return ` ${inFlow(value)}`;
  const members = Object.entries(value).filter(([, one]) => one !== undefined);
  return members
    .map(([name, one]) => `${line}${line === "\n" ? name : inFlow(name)}:${below(one, `${line}  `)}`)
    .join("");
}

/** Returns a JSON value on one line, with single quotes where possible. */
export function inFlow(value: unknown): string {
  if (typeof value === "string" && !/\p{Cc}/u.test(value)) return `'${value.replaceAll("'", "''")}'`;
  if (Array.isArray(value)) return `[${value.map(inFlow).join(", ")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, one]) => one !== undefined);
  return `{ ${members.map(([name, one]) => `${inFlow(name)}: ${inFlow(one)}`).join(", ")} }`;
}
