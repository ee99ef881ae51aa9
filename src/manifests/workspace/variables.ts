import { substitute } from "../documents/template.ts";
import type { FileSource } from "../sources/files.ts";
import { fileBudget } from "../yaml/budget.ts";
import { parseYaml } from "../yaml/parse-yaml.ts";
import { readText } from "../yaml/read-text.ts";
import { problemAt, type ReportProblem, sourceText } from "../yaml/source-text.ts";
import type { Tree } from "../yaml/tree.ts";

export type Variables = ReadonlyMap<string, Tree>;

/** Variables of the command line; each is text. */
export function givenVariables(given: Readonly<Record<string, string>>): Variables {
  return new Map(
    Object.entries(given).map(([name, value]) => {
      const source = sourceText("--var", value);
      return [name, { is: "scalar", source, start: 0, end: value.length, value, written: value }];
    }),
  );
}

/**
 * Variables of a mapping from names to any values; none where the tree is no mapping. They do not refer to each other.
 * Reports as `substitute` does.
 */
export function variablesOf(tree: Tree, report: ReportProblem): Variables {
  const scope = { variables: new Map<string, Tree>(), each: undefined };
  const filled = substitute(tree, { scope, budget: fileBudget(), report });
  return new Map(filled.is === "mapping" ? filled.entries.map(({ key, value }) => [key.name, value]) : []);
}

/** Variables of a file. Throws `ProblemError` with SP1013 where it cannot be read. */
export async function readVariables(files: FileSource, file: string, report: ReportProblem): Promise<Variables> {
  const hint = "Files of variables are named from the folder of the workspace file.";
  const source = await readText(files, file, { code: "SP1013", hint });
  const [tree, second] = parseYaml(source, fileBudget(), report);
  if (tree === undefined) return new Map();
  if (tree.is !== "mapping" || second !== undefined)
    report(problemAt(second ?? tree, "SP1002", "A file of variables is one mapping from names to values."));
  return variablesOf(tree, report);
}
