import type { DerivedFile } from "./derived-file.ts";
import type { FoundKind } from "./kinds.ts";

/** `src/reconcilers/registry.ts`: every kind by its name. */
export function registry(found: readonly FoundKind[]): DerivedFile {
  const text = `// Derived by scripts/generate.ts: do not edit.
import type { Kind } from "../core/kind.ts";
import { mapOnDemand } from "../core/once.ts";
${found.map(({ name, file }) => `import { ${name} } from "./${file}";`).join("\n")}

/** Every kind by its name. In the bundle a kind is loaded when it is first asked for. */
export const kinds: ReadonlyMap<string, Kind> = mapOnDemand<string, Kind>([
${found.map(({ name, kind }) => `  [${JSON.stringify(kind.kind)}, () => ${name}],`).join("\n")}
]);
`;
  return { path: "src/reconcilers/registry.ts", text };
}
