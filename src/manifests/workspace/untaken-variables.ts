import type { Problem } from "../../core/problem.ts";
import { didYouMean, quote } from "../../core/text/words.ts";
import { entryOf, type Mapping } from "../yaml/tree.ts";
import type { ReadVariables, VariableOptions } from "./variables.ts";

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
      if (untaken.length > 0) untaken = untaken.filter((name) => !takes(text, name));
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
