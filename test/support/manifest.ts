import type { Metadata } from "../../src/core/resource.ts";

type Fields = Readonly<Record<string, unknown>>;

/** One document of a manifest. */
export function document(
  kind: string,
  spec: Fields,
  metadata: Partial<Metadata> & { readonly service?: string } = {},
): string {
  return `---\n${JSON.stringify({ kind, metadata, spec })}\n`;
}
