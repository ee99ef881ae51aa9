import { type Problem, ProblemError } from "../../core/problem.ts";
import { grouped } from "../../core/text/words.ts";
import { defaultLimits, type Limits } from "../workspace/limits.ts";
import { problemAt, type Range } from "./source-text.ts";

/** The cost of reading something. */
export interface Amount {
  readonly resources?: number;
  /** Values of a tree. */
  readonly values?: number;
  readonly characters?: number;
  /** Steps of policies and patterns. */
  readonly work?: number;
}

/** The remainder of a workspace's limits. All its files spend from one budget, in order. */
export interface Budget {
  readonly limits: Limits;
  /** Whether nothing more can be read. */
  isSpent(): boolean;
  /** Whether an amount can be deducted. */
  affords(amount: Amount): boolean;
  /** Deducts an amount. Throws `ProblemError` SP1011 if too little is left, and the same one from then on. */
  spend(at: Range, amount: Amount): void;
  /** Remembers what is left; the returned function refunds everything that is spent after this. */
  mark(): () => void;
}

/** The bytes that any value counts as: about the memory that it takes, apart from its text. */
const valueSize = 64;

export function openBudget(limits: Limits = defaultLimits): Budget {
  let left: Left = { resources: limits.resources, bytes: limits.bytes, work: limits.work };
  let problem: Problem | undefined;
  return {
    limits,
    isSpent: () => problem !== undefined,
    affords: (amount) => problem === undefined && exceededIn(without(left, amount)) === undefined,
    spend(at, amount) {
      if (problem !== undefined) throw new ProblemError(problem);
      left = without(left, amount);
      const exceeded = exceededIn(left);
      if (exceeded === undefined) return;
      problem = problemAt(at, "SP1011", exceededWords(limits)[exceeded], { hint: raise(exceeded) });
      throw new ProblemError(problem);
    },
    mark() {
      const [before, then] = [left, problem];
      return () => {
        left = before;
        problem = then;
      };
    },
  };
}

type Left = Pick<Limits, "resources" | "bytes" | "work">;

function without(left: Left, { resources = 0, values = 0, characters = 0, work = 0 }: Amount): Left {
  return {
    resources: left.resources - resources,
    bytes: left.bytes - values * valueSize - characters,
    work: left.work - work,
  };
}

function exceededIn({ resources, bytes, work }: Left): keyof Left | undefined {
  return resources < 0 ? "resources" : bytes < 0 ? "bytes" : work < 0 ? "work" : undefined;
}

/** The maximum number of words, signs and spaces between them in a file: each costs the parser far more than a character. */
export const mostWords = 250_000;

/** Returns the hint for an exceeded limit. */
export function raise(limit: keyof Limits): string {
  return `Declare less, or raise limits.${limit} in the workspace file.`;
}

function exceededWords({ resources, bytes, work }: Limits) {
  return {
    resources: `With this, the manifests declare more than ${grouped(resources)} resources.`,
    bytes: `With this, the manifests expand to more than ${grouped(bytes)} bytes through aliases, variables, forEach and files.`,
    work: `With this, policies and patterns take more than ${grouped(work)} steps.`,
  };
}
