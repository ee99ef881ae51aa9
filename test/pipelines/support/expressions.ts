import { data, Evaluator, Lexer, Parser } from "@actions/expressions";

/** What expressions can name, such as `github` and `steps`. */
export type Contexts = Readonly<Record<string, unknown>>;

const states = ["always", "cancelled", "failure", "success"] as const;

/** Evaluates an expression of a workflow with the library that GitHub's runner uses. `failed`: whether a step has failed. */
function evaluate(expression: string, contexts: Contexts, failed: boolean): data.ExpressionData {
  const answers = { always: true, cancelled: false, failure: failed, success: !failed };
  const functions = states.map((name) => ({
    name,
    minArgs: 0,
    maxArgs: 0,
    call: () => new data.BooleanData(answers[name]),
  }));
  const tree = new Parser(new Lexer(expression).lex().tokens, Object.keys(contexts), functions).parse();
  const values: unknown = JSON.parse(JSON.stringify(contexts), data.reviver);
  if (!(values instanceof data.Dictionary)) throw new Error("Contexts are an object.");
  return new Evaluator(tree, values, new Map(functions.map((one) => [one.name, one]))).evaluate();
}

/** Replaces each `${{ … }}` in a text by its value. */
export function filled(text: string, contexts: Contexts): string {
  return text.replaceAll(/\$\{\{(.*?)\}\}/gs, (_all, inner: string) =>
    evaluate(inner.trim(), contexts, false).coerceString(),
  );
}

/** Whether an `if` holds. One without a status function requires that nothing has failed. */
export function holds(condition: string | undefined, contexts: Contexts, failed: boolean): boolean {
  if (condition === undefined) return !failed;
  const inner = condition.replace(/^\s*\$\{\{(.*)\}\}\s*$/s, "$1").trim();
  const asks = new RegExp(`\\b(?:${states.join("|")})\\s*\\(`).test(inner);
  if (failed && !asks) return false;
  const value = evaluate(inner, contexts, failed);
  return !["", "false", "0"].includes(value.coerceString());
}
