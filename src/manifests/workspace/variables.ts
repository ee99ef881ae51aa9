import type { Problem } from "../../core/problem.ts";
import { didYouMean, quote, someOf } from "../../core/text/words.ts";
import { substitute } from "../documents/template.ts";
import type { FileSource } from "../sources/files.ts";
import { openBudget } from "../yaml/budget.ts";
import { readDocuments } from "../yaml/parse-documents.ts";
import { readText } from "../yaml/read-text.ts";
import { collect, problemAt, type ReportProblem, sourceText, wholeOf } from "../yaml/source-text.ts";
import { entryOf, type Mapping, scalarAt, type Tree } from "../yaml/tree.ts";

export type Variables = ReadonlyMap<string, Tree>;

/** Options that name the files of variables. */
export interface Naming {
  readonly workspaceFile: string;
  /** Files of variables; a later one overrides an earlier one. */
  readonly values?: readonly string[];
  /** Names one more file of variables, which `values` override: `setpoint.<environment>.yaml`. */
  readonly environment?: string | undefined;
}

export interface VariableOptions extends Naming {
  readonly source: FileSource;
  /** Values from the command line, which override all others. */
  readonly variables: Readonly<Record<string, string>>;
}

export interface ReadVariables {
  readonly variables: Variables;
  /** The files of variables, in the order in which they override each other. */
  readonly files: readonly { readonly file: string; readonly variables: Variables }[];
}

/** Returns the files of variables; a later one overrides an earlier one. */
export function variableFiles({ workspaceFile, environment, values = [] }: Naming): readonly string[] {
  const named = environment === undefined ? [] : [workspaceFile.replace(/(\.\w+)?$/, `.${environment}$1`)];
  return [...named, ...values];
}

/** Whether a problem is about a missing file of variables, for example for an environment that does not exist. */
export function isMissingVariables({ code, place }: Problem, naming: Naming): boolean {
  return code === "SP1013" && place !== undefined && variableFiles(naming).includes(place.file);
}

/** Reads all variables: defaults of the workspace file, then files of variables, then the command line. */
export async function readAllVariables(
  options: VariableOptions,
  root: Mapping,
  report: ReportProblem,
): Promise<ReadVariables> {
  const defaults = entryOf(root, "variables");
  const read = await Promise.all(
    variableFiles(options).map(async (file) => ({
      file,
      ...(await collect((tell) => readVariables(options.source, file, tell))),
    })),
  );
  const { workspaceFile, environment } = options;
  for (const problem of read.flatMap(({ problems }) => problems))
    report(
      isMissingVariables(problem, { workspaceFile, environment })
        ? { ...problem, hint: await environmentsHint(options) }
        : problem,
    );
  const files = read.map(({ file, result = new Map() }) => ({ file, variables: result }));
  const variables = new Map([
    ...(defaults === undefined ? [] : variablesOf(defaults.value, report)),
    ...files.flatMap((one) => [...one.variables]),
    ...givenVariables(options.variables),
  ]);
  return { variables, files };
}

/** Says which environments have a file. */
async function environmentsHint({ source, workspaceFile }: VariableOptions): Promise<string> {
  const [glob = ""] = variableFiles({ workspaceFile, environment: "*" });
  const [before = "", after = ""] = glob.split("*");
  const files = await source.list([glob]).catch(() => []);
  const names = files.map((file) => file.slice(before.length, file.length - after.length));
  return names.length === 0 ? `No environment has a file yet: ${glob}.` : `Environments with a file: ${someOf(names)}.`;
}

/** Returns the variables of the command line; each is a string, without a place in a file. */
function givenVariables(given: Readonly<Record<string, string>>): Variables {
  const nowhere = wholeOf(sourceText("--var", ""));
  return new Map(Object.entries(given).map(([name, value]) => [name, scalarAt(nowhere, value)]));
}

/**
 * Returns the variables of a mapping from names to any values; none if the tree is not a mapping. They cannot refer to each
 * other. Reports SP1002 for a name with a dot, and what `substitute` does.
 */
function variablesOf(tree: Tree, report: ReportProblem): Variables {
  const scope = { variables: new Map<string, Tree>(), each: undefined };
  const filled = substitute(tree, { scope, budget: openBudget(), report });
  const entries = filled.is === "mapping" ? filled.entries : [];
  for (const { key } of entries)
    if (key.name.includes("."))
      report(
        problemAt(
          key,
          "SP1002",
          "The name of a variable has a dot, which in placeholders selects a part of a variable.",
        ),
      );
  return new Map(entries.map(({ key, value }) => [key.name, value]));
}

/** Reads the variables of a file. Throws `ProblemError` with SP1013 if it cannot be read. */
async function readVariables(files: FileSource, file: string, report: ReportProblem): Promise<Variables> {
  const hint = "Paths of files of variables are relative to the folder of the workspace file.";
  const source = await readText(files, file, { code: "SP1013", hint });
  const [tree, second] = readDocuments(source, openBudget(), report).documents;
  if (tree === undefined) return new Map();
  if (tree.is !== "mapping" || second !== undefined)
    report(problemAt(second ?? tree, "SP1002", "A file of variables is one mapping from names to values."));
  const [only, ...others] = tree.is === "mapping" ? tree.entries : [];
  if (only?.key.name === "variables" && only.value.is === "mapping" && others.length === 0)
    report(problemAt(only.key, "SP1002", "A file of variables has their names at its top level, not below variables."));
  return variablesOf(tree, report);
}

/** Checks whether anything uses the variables of the command line. */
export interface UntakenVariables {
  /** Looks for placeholders in a text. */
  see(text: string): void;
  /** Returns SP1007 for each one that no text uses and no file declares: if it is misspelt, another value stays in effect. */
  problems(): readonly Problem[];
}

export function untakenVariables(
  { variables }: Pick<VariableOptions, "variables">,
  { tree, files }: Pick<ReadVariables, "files"> & { readonly tree: Mapping },
): UntakenVariables {
  const defaults = entryOf(tree, "variables")?.value;
  const stated = defaults?.is === "mapping" ? defaults.entries.map(({ key }) => key.name) : [];
  const declared = new Set([...stated, ...files.flatMap((one) => [...one.variables.keys()])]);
  let untaken = Object.keys(variables).filter((name) => !declared.has(name));
  return {
    see(text) {
      untaken = untaken.filter((name) => !takes(text, name));
    },
    problems: () =>
      untaken.map((name) => ({
        code: "SP1007",
        message: `Nothing uses the variable ${quote(name)}.${didYouMean(name, declared)}`,
        hint: name.includes(".")
          ? "A dot selects a part of a variable: give the whole variable with --values."
          : "Correct --var, or declare the name under variables in the workspace file.",
      })),
  };
}

/** Whether a text uses a variable. A name with a dot is not a variable: such a placeholder selects a part of one. */
function takes(text: string, name: string): boolean {
  return !name.includes(".") && (text.includes(`\${var.${name}}`) || text.includes(`\${var.${name}.`));
}
