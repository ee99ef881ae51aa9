import { ProblemError } from "../../core/problem.ts";
import { problemAt, type Range } from "./source-text.ts";

/** What one file may expand to, so that a small hostile file cannot take all memory. */
export interface Budget {
  /** Takes from what is left. Throws `ProblemError` with SP1011 where nothing is. */
  spend(at: Range, amount: { readonly values?: number; readonly characters?: number }): void;
}

const maxValues = 1_000_000;
const maxCharacters = 16 * 1024 * 1024;

export function fileBudget(): Budget {
  let values = maxValues;
  let characters = maxCharacters;
  return {
    spend(at, amount) {
      values -= amount.values ?? 0;
      characters -= amount.characters ?? 0;
      if (values < 0 || characters < 0)
        throw new ProblemError(
          problemAt(at, "SP1011", "The file expands too far: aliases, variables and forEach make too much of it.", {
            hint: "Split it into several files.",
          }),
        );
    },
  };
}
