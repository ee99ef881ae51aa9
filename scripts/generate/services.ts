import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { globSync } from "tinyglobby";
import type { DerivedFile } from "./derived-file.ts";

/**
 * A file such as `src/sandbox/services.ts`, which lists the exports of the service folders next to it: for each
 * `wiki/service.ts` the constant `wiki<suffix>`, by role and sorted by role. Each of `members` also has its own list,
 * because only an explicit list keeps the type of every member. Throws if a `service.ts` does not export its constant.
 */
export function services(root: string, path: string, suffix: string, members: readonly string[] = []): DerivedFile {
  const folder = join(root, dirname(path));
  const found = globSync("*/service.ts", { cwd: folder })
    .map((file) => ({ file, role: dirname(file), name: `${dirname(file)}${suffix}` }))
    .sort((a, b) => (a.role < b.role ? -1 : 1));
  for (const { file, name } of found)
    if (!new RegExp(`^export const ${name}\\b`, "m").test(readFileSync(join(folder, file), "utf8")))
      throw new Error(`${join(dirname(path), file)} must export the constant ${name}.`);
  const list = (constant: string, member: string) => `
export const ${constant} = {
${found.map(({ role, name }) => `  ${role}: ${name}${member},`).join("\n")}
} as const;
`;
  const constant = `${suffix.charAt(0).toLowerCase()}${suffix.slice(1)}s`;
  const text = `// Derived by scripts/generate.ts: do not edit.
${found.map(({ file, name }) => `import { ${name} } from "./${file}";`).join("\n")}

/** What the folders of services here export, by role. */${list(constant, "")}${members
    .map((member) => `\n/** The member \`${member}\` of each. */${list(`${member}s`, `.${member}`)}`)
    .join("")}`;
  return { path, text };
}
