import { basename, dirname } from "node:path";
import { globSync } from "tinyglobby";
import type { DerivedFile } from "./derived-file.ts";

/** `src/clients/services.ts`: what each service's folder says of it, by role. */
export function clientServices(root: string): DerivedFile {
  const roles = globSync("src/clients/*/service.ts", { cwd: root })
    .map((file) => basename(dirname(file)))
    .sort();
  const text = `// Derived by scripts/generate.ts: do not edit.
${roles.map((role) => `import { ${role}Service } from "./${role}/service.ts";`).join("\n")}

/** Every service by its role. */
export const services = {
${roles.map((role) => `  ${role}: ${role}Service,`).join("\n")}
} as const;
`;
  return { path: "src/clients/services.ts", text };
}
