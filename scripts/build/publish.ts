import { globSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { rolldown } from "rolldown";
import { parseSync } from "rolldown/utils";
import { dts } from "rolldown-plugin-dts";

/**
 * Bundles the declarations that the entries in the folder `from` refer to: a file for each entry and one for what they share.
 * Comments stay, because editors show them.
 */
export async function publishDeclarations(
  from: string,
  to: string,
  entries: Readonly<Record<string, string>>,
): Promise<void> {
  const build = await rolldown({
    input: Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, resolve(from, path)])),
    plugins: [dts({ dtsInput: true, tsconfig: false })],
    external: /^[\w@]/,
    // A slow plugin is not an error.
    checks: { pluginTimings: false },
    onLog(_level, { message }) {
      throw new Error(message);
    },
  });
  const { output } = await build.generate({ format: "esm", chunkFileNames: "shared.d.ts" });
  await build.close();
  const written = output.flatMap((one) => (one.type === "chunk" ? [[one.fileName, textOf(one.code)] as const] : []));
  const types = written.flatMap(([, code]) => typesIn(code));
  const files = new Map(written.map(([path, code]) => [path, withTypesNamed(code, types)]));
  mkdirSync(to, { recursive: true });
  // Other files in the folder do not belong to this build, and might be in use.
  for (const path of globSync("**/*.d.ts", { cwd: to })) if (!files.has(path)) rmSync(join(to, path));
  for (const [path, text] of files) writeFileSync(join(to, path), text);
}

/**
 * Removes the lines that name the source files of declarations, and the indentation, which editors do not show, and names the
 * types of Zod as our sources do: the compiler writes `import("zod").ZodString` where it infers a type.
 */
function textOf(code: string): string {
  return code
    .replace(/^(?:\/\/#(?:end)?region.*|\/\/ \S+\.d\.ts)\n/gm, "")
    .replace(/^ +/gm, "")
    .replaceAll('import("zod/v4/core").', "z.core.")
    .replaceAll('import("zod").', "z.");
}

/** Types shorter than this would not become shorter. */
const shortest = 60;

/** The type of a schema as its declaration has it. */
interface NamedType {
  readonly name: string;
  readonly text: string;
}

function typesIn(code: string): readonly NamedType[] {
  return parseSync("declarations.d.ts", code).program.body.flatMap((statement) => {
    const declaration = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
    if (declaration?.type !== "VariableDeclaration") return [];
    return declaration.declarations.flatMap(({ id }) => {
      const type = id.type === "Identifier" ? id.typeAnnotation?.typeAnnotation : undefined;
      return type === undefined || id.type !== "Identifier"
        ? []
        : [{ name: id.name, text: code.slice(type.start, type.end) }];
    });
  });
}

/**
 * Replaces the types of schemas that are repeated within others by a reference such as `typeof Plan`, if the file declares or
 * imports that name. The compiler writes out the type of every schema within a schema, which is a third of the declarations.
 */
function withTypesNamed(code: string, types: readonly NamedType[]): string {
  return types
    .filter(({ name, text }) => text.length >= shortest && new RegExp(`(?: as|const) ${name}\\b`).test(code))
    .sort((a, b) => b.text.length - a.text.length)
    .reduce((rest, { name, text }) => {
      const own = `const ${name}: ${text}`;
      return rest
        .split(own)
        .map((part) => part.replaceAll(text, () => `typeof ${name}`))
        .join(own);
    }, code);
}
